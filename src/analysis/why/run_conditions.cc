// run_conditions.cc: the fixed setting and the levels of each factor.
#include "analysis/why/run_conditions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "binary/decode/architecture.h"
#include "machine/host/affinity.h"

namespace tare::why {
namespace {

// Initial offset of the stack, which leaves room to move it up.
constexpr std::uint64_t kStackRoom = 64 << 10;
// Loaders may align libraries to the largest page size.
constexpr std::uint64_t kMappingStep = 64 << 10;
constexpr pid_t kFixedProcessId = 20011;
constexpr unsigned kMemoryLevels = 16;

// Additional bytes of the environment and the paths at each level. 16 bytes of the environment, or
// 8 bytes of the program's path, which is on the stack twice, move the stack by 16.
constexpr std::array<std::size_t, 8> kMoreEnvironment = {16, 32, 48, 128, 256, 1024, 2048, 4096};
constexpr std::array<std::size_t, 8> kMoreArgv0 = {8, 16, 24, 40, 64, 104, 168, 272};
constexpr std::array<std::size_t, 8> kMoreDirectory = {16, 32, 48, 80, 128, 208, 336, 544};

template <std::size_t kSize>
std::size_t More(const std::array<std::size_t, kSize>& steps, unsigned level) {
  return steps[(level - 1) % kSize];
}

// All multiples of 16 within 256, plus whole pages, as address randomization gives them.
std::uint64_t StackOffset(unsigned level) {
  return std::uint64_t{16} * level + std::uint64_t{4096} * (level * 5 % 8);
}

unsigned LevelOf(const Levels& levels, Factor factor) {
  const auto found = levels.find(factor);
  return found == levels.end() ? 0 : found->second;
}

}  // namespace

std::size_t HeapStep() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

Result<FixedSetup> FixedSetup::Make(const run::ResolvedProgram& program, const run::Setting& given,
                                    const Capabilities& capabilities) {
  FixedSetup setup;
  setup.fixed_ = run::WithDiscardedOutput(given);
  setup.argv0_length_ = given.argv0_length.value_or(program.path.string().size());
  setup.fixed_.argv0_length = setup.argv0_length_;
  setup.fixed_.randomize_addresses = false;
  setup.fixed_.environment.pin_dispatch = true;
  // With lazy binding, the first call of each function runs the loader's trampoline, which saves
  // different registers for different processor features, so every program would depend on the
  // dispatch.
  setup.fixed_.environment.bind_now = true;
  // Hash seeds are system inputs (random numbers): they are fixed and varied with those.
  setup.fixed_.environment.pin_seeds = false;
  setup.FixLayout(capabilities.layout);
  setup.FixDirectory();
  TRY_VOID(setup.FixEnvironment());
  setup.factors_.push_back({Factor::kArgv0, kMoreArgv0.size()});
  const bool two =
      capabilities.features && decode::HostArchitecture() == decode::Architecture::kAArch64;
  setup.factors_.push_back({Factor::kDispatch, two ? 2U : 1U});
  if (capabilities.counts) setup.FixProcessId();
  if (capabilities.machine) setup.AddMachineFactors();
  return setup;
}

void FixedSetup::FixLayout(engine::LayoutControl layout) {
  Result<void> can;
  if (layout == engine::LayoutControl::kKernel) can = run::CanMoveLayout();
  if (layout == engine::LayoutControl::kNone) {
    can = Fail(ErrorKind::kUnsupported, "this engine does not let tare set the memory layout");
  }
  moves_stack_ = can.has_value();
  for (const Factor factor : {Factor::kStack, Factor::kHeap, Factor::kMappings}) {
    if (can) {
      factors_.push_back({factor, kMemoryLevels});
    } else {
      absences_.push_back({factor, can.error().message});
    }
  }
  if (!can) return;
  fixed_.layout.stack_bytes = kStackRoom;
  fixed_.layout.stop_at_start = true;
}

void FixedSetup::FixProcessId() {
  if (const auto can = run::CanChooseProcessId(); !can) {
    absences_.push_back({Factor::kProcessId, can.error().message});
    return;
  }
  if (!fixed_.process_id) fixed_.process_id = kFixedProcessId;
  factors_.push_back({Factor::kProcessId, kMemoryLevels});
}

void FixedSetup::FixDirectory() {
  std::error_code error;
  const auto directory = fixed_.directory.value_or(std::filesystem::current_path(error));
  if (error) {
    absences_.push_back({Factor::kDirectory, "the current directory cannot be determined"});
    return;
  }
  if (const auto can = run::CanLengthenDirectory(); !can) {
    absences_.push_back({Factor::kDirectory, can.error().message});
    return;
  }
  // A multiple of 16 with room for the name of the replacement directory.
  if (!fixed_.cwd_length) fixed_.cwd_length = std::max<std::size_t>(96, directory.string().size());
  factors_.push_back({Factor::kDirectory, kMoreDirectory.size()});
}

Result<void> FixedSetup::FixEnvironment() {
  run::Environment natural = fixed_.environment;
  natural.bytes.reset();
  TRY(const auto entries, run::MakeEnvironment(natural, run::InheritedEnvironment(), std::nullopt));
  // Room for TARE_PAD, and for a longer PWD, which takes its bytes from the padding.
  const std::size_t room = 64 + kMoreDirectory.back() + fixed_.cwd_length.value_or(0);
  const std::size_t wanted = (run::BlockBytes(entries) + room + 15) / 16 * 16;
  environment_bytes_ = fixed_.environment.bytes.value_or(wanted);
  fixed_.environment.bytes = environment_bytes_;
  factors_.push_back({Factor::kEnvironment, kMoreEnvironment.size()});
  return {};
}

void FixedSetup::AddMachineFactors() {
  factors_.push_back({Factor::kRandomization, 1});
  run::Setting with = fixed_;
  if (const auto can = run::ChooseHugePages(true, with); can) {
    factors_.push_back({Factor::kHugePages, 1});
    fixed_.huge_pages = false;
  } else {
    absences_.push_back({Factor::kHugePages, can.error().message});
  }
  const auto cores = host::AllowedProcessors();
  if (fixed_.core) {
    absences_.push_back({Factor::kCore, "--core fixes it"});
  } else if (cores && cores->size() > 1) {
    other_core_ = cores->back();
    factors_.push_back({Factor::kCore, 1});
  } else {
    absences_.push_back({Factor::kCore, "this process may use only one core"});
  }
  factors_.push_back({Factor::kNeighbour, 2});
  factors_.push_back({Factor::kPageCache, 1});
}

// Removes the variables that fix the dispatch and adds as many without meaning, so that the envp
// array on the stack keeps its length.
Result<void> FixedSetup::VaryDispatch(unsigned level, Conditions& conditions) const {
  if (level == 2) {
    conditions.features = 0x3;  // fp and asimd, which every AArch64 processor running Linux has
    return {};
  }
  run::Environment& environment = conditions.setting.environment;
  const auto inherited = run::InheritedEnvironment();
  TRY(const auto before, run::MakeEnvironment(environment, inherited, std::nullopt));
  environment.pin_dispatch = false;
  TRY(const auto after, run::MakeEnvironment(environment, inherited, std::nullopt));
  for (std::size_t i = after.size(); i < before.size(); ++i) {
    environment.set.emplace_back(fmt::format("TARE_PLACE_{}", i), "");
  }
  conditions.features = ~std::uint64_t{0};
  return {};
}

Result<Conditions> FixedSetup::At(const Levels& levels) const {
  Conditions conditions;
  conditions.setting = fixed_;
  run::Setting& setting = conditions.setting;
  std::uint64_t stack_back = 0;
  if (const unsigned level = LevelOf(levels, Factor::kEnvironment)) {
    *setting.environment.bytes += More(kMoreEnvironment, level);
    stack_back += More(kMoreEnvironment, level);
  }
  if (const unsigned level = LevelOf(levels, Factor::kArgv0)) {
    *setting.argv0_length += More(kMoreArgv0, level);
    stack_back += 2 * More(kMoreArgv0, level);
  }
  if (const unsigned level = LevelOf(levels, Factor::kDirectory)) {
    *setting.cwd_length += More(kMoreDirectory, level);
  }
  if (moves_stack_) setting.layout.stack_bytes -= stack_back;
  if (const unsigned level = LevelOf(levels, Factor::kStack)) {
    setting.layout.stack_bytes += StackOffset(level);
  }
  if (const unsigned level = LevelOf(levels, Factor::kHeap)) {
    setting.layout.heap_bytes = HeapStep() * (level * 7 % 61);
  }
  if (const unsigned level = LevelOf(levels, Factor::kMappings)) {
    setting.layout.mapping_bytes = kMappingStep * (level * 37 % 509);
  }
  if (const unsigned level = LevelOf(levels, Factor::kProcessId)) {
    *setting.process_id += static_cast<pid_t>(level * 977 % 12007);
  }
  if (const unsigned level = LevelOf(levels, Factor::kDispatch)) {
    TRY_VOID(VaryDispatch(level, conditions));
  }
  setting.randomize_addresses = LevelOf(levels, Factor::kRandomization) > 0;
  if (LevelOf(levels, Factor::kHugePages) > 0) {
    TRY_VOID(run::ChooseHugePages(true, setting));
  }
  if (LevelOf(levels, Factor::kCore) > 0) setting.core = other_core_;
  conditions.neighbours = LevelOf(levels, Factor::kNeighbour);
  conditions.cold_files = LevelOf(levels, Factor::kPageCache) > 0;
  return conditions;
}

Conditions FixedSetup::Swept(Factor factor, std::size_t bytes) const {
  Conditions conditions;
  conditions.setting = fixed_;
  if (factor == Factor::kHeap) {
    conditions.setting.layout.heap_bytes = bytes;
  } else {
    *conditions.setting.environment.bytes += bytes;
  }
  return conditions;
}

}  // namespace tare::why
