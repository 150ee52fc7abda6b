// valgrind_engine.cc: what the tool is told, and the tape that it leaves.
#include "measure/engine/valgrind_engine.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/file.h"
#include "binary/decode/architecture.h"
#include "count/engine_limit.h"
#include "format/counters_wire.h"
#include "format/start_stack.h"
#include "measure/engine/engine_setting.h"

namespace tare::engine {
namespace {

// In the folder of the recordings, until the run has ended.
constexpr const char* kTape = "tape";

Result<void> AddPlacing(const run::Layout& layout, std::vector<std::string>& prefix) {
  // The heap has 8 MiB under Valgrind, and the offset is taken from them.
  constexpr std::uint64_t kMostHeapOffset = 4 << 20;
  constexpr std::uint64_t kMostMappingOffset = 1 << 30;
  if (layout.heap_bytes > kMostHeapOffset || layout.mapping_bytes > kMostMappingOffset) {
    return Fail(ErrorKind::kUnsupported,
                "the engine valgrind moves a heap by 4 MiB at most and mappings by 1 GiB");
  }
  const auto add = [&prefix](const char* option, std::uint64_t bytes) {
    if (bytes != 0) prefix.push_back(fmt::format("--{}={}", option, bytes));
  };
  add("stack-offset", layout.stack_bytes);
  add("heap-offset", layout.heap_bytes);
  add("mapping-offset", layout.mapping_bytes);
  return {};
}

// A tape that the engine could not play would end the program before it began.
Result<void> AddTapes(const Tapes& tapes, const std::string& folder,
                      std::vector<std::string>& prefix) {
  if (tapes.record) prefix.push_back("--tape=" + folder + "/" + kTape);
  for (const auto& [kind, path] : tapes.play) {
    if (!format::CanBePlayed(kind)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: this cannot be played back from a tape", format::Name(kind)));
    }
    TRY(const auto tape, format::ReadTape(path));
    if (tape.architecture != HostMachine()) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("{}: a tape of another kind of processor", path.string()));
    }
    prefix.push_back(
        fmt::format("--play-{}={}", format::Name(kind), std::filesystem::absolute(path).string()));
  }
  return {};
}

void AddFlow(const VirtualPlan& plan, std::vector<std::string>& prefix) {
  prefix.push_back("--flow=yes");
  if (plan.sample_instructions != 0) {
    prefix.push_back(fmt::format("--flow-sample={}", plan.sample_instructions));
  }
  if (plan.first_sample != 0) prefix.push_back(fmt::format("--flow-first={}", plan.first_sample));
}

}  // namespace

Result<run::Finished> RunValgrind(const host::EngineFiles& files, const EnginePlan& plan,
                                  const std::string& folder, const run::Hooks& hooks) {
  std::vector<std::string> prefix = {
      files.valgrind_tool->string(),
      "--tool=tare",
      // No .valgrindrc, neither of the home directory nor of the current one; and no VALGRIND_OPTS
      // in programs that a child becomes.
      "--command-line-only=yes",
      "-q",
      "--vgdb=no",
      fmt::format("--trace-children={}", plan.children ? "yes" : "no"),
      "--directory=" + folder,
      // What Valgrind says of a fatal signal is none of the program's output.
      "--log-file=" + folder + "/" + kMessages,
      fmt::format("--pin={}", plan.pin_view ? "yes" : "no"),
      fmt::format("--hwcap={:x}", FeaturesOf(plan)),
  };
  if (plan.region) prefix.push_back("--region=" + RegionText(*plan.region));
  // Otherwise a store-exclusive of the host fails now and then, and each retry would count.
  if (decode::HostArchitecture() == decode::Architecture::kAArch64) {
    prefix.push_back("--sim-hints=fallback-llsc");
  }
  if (plan.memory_place != 0) {
    prefix.push_back(fmt::format("--further-mappings={}", 100 * plan.memory_place));
    prefix.push_back(fmt::format("--aspace-minaddr={:#x}", 0x1913'0000 * plan.memory_place));
  }
  TRY_VOID(AddPlacing(plan.setting.layout, prefix));
  TRY_VOID(AddTapes(plan.tapes, folder, prefix));
  if (plan.virtual_pmu) AddFlow(*plan.virtual_pmu, prefix);
  run::Setting setting = plan.setting;
  // What is started is the engine, and the engine moves the program.
  setting.layout = {};
  FixName(plan, setting);
  TRY(auto environment, ProgramEnvironment(plan.program, setting));
  HideVariables(TARE_VALGRIND_PREFIX, environment);
  environment.push_back("VALGRIND_LIB=" + files.valgrind_folder->string());
  environment.push_back("VALGRIND_LAUNCHER=" + files.valgrind_launcher->string());
  if (plan.virtual_pmu && !plan.virtual_pmu->counters_folder.empty()) {
    environment.push_back(TARE_RUN_VARIABLE "=" + plan.virtual_pmu->counters_folder.string());
  }
  GiveEnvironment(setting, std::move(environment));
  TRY(const auto program, run::Wrapped(plan.program, std::move(prefix)));
  const Engine engine = plan.virtual_pmu ? Engine::kVirtual : Engine::kValgrind;
  return RunWithinLimit(engine, plan, program, setting, hooks);
}

Result<void> KeepTape(const Tapes& tapes, const std::filesystem::path& folder) {
  if (!tapes.record) return {};
  const auto tape = format::ReadTape(folder / kTape);
  if (tape) return WriteFileAtomically(*tapes.record, tape->bytes);
  const std::string said = FirstMessage(folder);
  if (said.empty()) return std::unexpected(tape.error());
  return Fail(ErrorKind::kIo, "the engine valgrind: " + said);
}

}  // namespace tare::engine
