// engine_run.cc: command lines of the engines, and what comes back.
#include "count/engine_run.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/private_folder.h"
#include "binary/elf_image.h"
#include "count/compiled_engine.h"
#include "count/step_engine.h"
#include "decode/architecture.h"
#include "trace/counters_wire.h"

namespace tare::count {
namespace {

struct EngineName {
  Engine engine;
  std::string_view name;
};

constexpr std::array kNames = {
    EngineName{Engine::kValgrind, "valgrind"},
    EngineName{Engine::kQemu, "qemu"},
    EngineName{Engine::kStep, "step"},
    EngineName{Engine::kCompiled, "compiled"},
};

// In the folder of the recordings: what the engine itself had to say.
constexpr const char* kMessages = "messages";

std::string FirstMessage(const std::filesystem::path& folder) {
  const std::string said = ReadFile(folder / kMessages, 1 << 16).value_or("");
  return said.substr(0, said.find('\n'));
}

std::uint32_t HostMachine() {
  return decode::HostArchitecture() == decode::Architecture::kAArch64 ? TARE_WIRE_AARCH64
                                                                      : TARE_WIRE_X86_64;
}

std::string RegionText(const Region& region) {
  return fmt::format("{}:{}:{}", region.device, region.inode, region.offset);
}

// What the program would get without the engine, as a list that an engine's own variables can be
// added to.
Result<std::vector<std::string>> ProgramEnvironment(const run::Setting& setting) {
  // The folder's path is made later; what takes its place here has its length, so that the block
  // gets the size that is asked for.
  std::optional<std::string> folder;
  if (setting.folder_bytes) folder = std::string(*setting.folder_bytes, '/');
  return run::MakeEnvironment(setting.environment, run::InheritedEnvironment(), folder);
}

void GiveEnvironment(run::Setting& setting, std::vector<std::string> entries) {
  run::Environment given;
  given.from = run::Environment::From::kGiven;
  given.given = std::move(entries);
  given.sorted = false;
  setting.environment = std::move(given);
}

// argv[0] is the whole path in every engine: an engine that loads the program itself can give no
// other.
void FixName(const EnginePlan& plan, run::Setting& setting) {
  if (!setting.name_bytes) setting.name_bytes = plan.program.path.string().size();
}

std::uint64_t FeaturesOf(const EnginePlan& plan) { return plan.features.value_or(CommonHwcap()); }

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
    if (!trace::CanBePlayed(kind)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: this cannot be played back from a tape", trace::Name(kind)));
    }
    TRY(const auto tape, trace::ReadTape(path));
    if (tape.architecture != HostMachine()) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("{}: a tape of another kind of processor", path.string()));
    }
    prefix.push_back(
        fmt::format("--play-{}={}", trace::Name(kind), std::filesystem::absolute(path).string()));
  }
  return {};
}

Result<void> KeepTape(const Tapes& tapes, const std::filesystem::path& folder) {
  if (!tapes.record) return {};
  const auto tape = trace::ReadTape(folder / kTape);
  if (tape) return WriteFileAtomically(*tapes.record, tape->bytes);
  const std::string said = FirstMessage(folder);
  if (said.empty()) return std::unexpected(tape.error());
  return Fail(ErrorKind::kIo, "the engine valgrind: " + said);
}

Result<void> RefuseTapes(Engine engine, const EnginePlan& plan) {
  if (engine == Engine::kValgrind || (!plan.tapes.record && plan.tapes.play.empty())) return {};
  return Fail(ErrorKind::kUnsupported,
              fmt::format("the engine {} has no tape of what a program asks for; use valgrind",
                          Name(engine)));
}

Result<run::Finished> RunValgrind(const machine::EngineFiles& files, const EnginePlan& plan,
                                  const std::string& folder, const run::Hooks& hooks) {
  std::vector<std::string> prefix = {
      files.valgrind_tool->string(),
      "--tool=tare",
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
  run::Setting setting = plan.setting;
  // What is started is the engine, and the engine moves the program.
  setting.layout = {};
  FixName(plan, setting);
  TRY(auto environment, ProgramEnvironment(setting));
  environment.push_back("VALGRIND_LIB=" + files.valgrind_folder->string());
  environment.push_back("VALGRIND_LAUNCHER=" + files.valgrind_launcher->string());
  GiveEnvironment(setting, std::move(environment));
  TRY(const auto program, run::Wrapped(plan.program, std::move(prefix)));
  return run::RunProgram(program, setting, hooks);
}

// Commas separate the plugin's arguments, and a comma is doubled to be one.
std::string PluginValue(std::string value) {
  std::string doubled;
  for (const char letter : value) doubled += letter == ',' ? ",," : std::string(1, letter);
  return doubled;
}

// On x86-64 the processor that Valgrind shows, as near as QEMU comes.
std::string QemuProcessor() {
  if (decode::HostArchitecture() == decode::Architecture::kAArch64) return "max,sve=off";
  return "max,vendor=GenuineIntel,family=6,model=60,stepping=3,-adx,-mpx,-sse4a,-3dnow,-3dnowext,-"
         "svm";
}

Result<run::Finished> RunQemu(const machine::EngineFiles& files, const EnginePlan& plan,
                              const std::string& folder, const run::Hooks& hooks) {
  if (plan.setting.layout.IsAsked()) {
    return Fail(ErrorKind::kUnsupported,
                "the engine qemu lays memory out itself; use valgrind or step for offsets");
  }
  std::string plugin =
      fmt::format("{},directory={},pin={},hwcap={:x}", PluginValue(files.qemu_plugin->string()),
                  PluginValue(folder), plan.pin_view ? "yes" : "no", FeaturesOf(plan));
  if (plan.region) plugin += ",region=" + RegionText(*plan.region);
  std::vector<std::string> prefix = {files.qemu_program->string(), "-cpu", QemuProcessor(),
                                     "-plugin", plugin};
  run::Setting setting = plan.setting;
  FixName(plan, setting);
  TRY(auto environment, ProgramEnvironment(setting));
  // QEMU hands the variables on in the opposite order.
  std::ranges::reverse(environment);
  GiveEnvironment(setting, std::move(environment));
  TRY(const auto program, run::Wrapped(plan.program, std::move(prefix)));
  return run::RunProgram(program, setting, hooks);
}

Result<run::Finished> RunStep(const EnginePlan& plan, const std::string& folder, run::Hooks hooks) {
  StepPlan step;
  step.folder = folder;
  step.region = plan.region;
  step.children = plan.children;
  step.pin_view = plan.pin_view;
  step.features = FeaturesOf(plan);
  run::Setting setting = plan.setting;
  FixName(plan, setting);
  // The tracer moves the program: it alone may stop it.
  step.layout = std::exchange(setting.layout, {});
  StepTracer tracer(step);
  hooks.before_exec = [&tracer, first = hooks.before_exec](pid_t process) -> Result<void> {
    TRY_VOID(first(process));
    return tracer.Attach(process);
  };
  TRY(auto finished, run::RunProgram(plan.program, setting, hooks));
  TRY_VOID(tracer.LaidOut());
  return finished;
}

Result<run::Finished> RunCompiled(const EnginePlan& plan, const std::string& folder,
                                  const run::Hooks& hooks) {
  if (plan.region) {
    return Fail(ErrorKind::kUnsupported,
                "the engine compiled counts whole programs: leave out --region");
  }
  run::Setting setting = plan.setting;
  FixName(plan, setting);
  TRY(auto environment, ProgramEnvironment(setting));
  environment.push_back(std::string(TARE_RUN_VARIABLE "=") + folder);
  GiveEnvironment(setting, std::move(environment));
  return run::RunProgram(plan.program, setting, hooks);
}

Result<void> ReadRun(Engine engine, const EnginePlan& plan, const std::filesystem::path& folder,
                     EngineRun& run) {
  if (engine != Engine::kCompiled) {
    TRY(run.recordings, trace::ReadRecordings(folder));
    return {};
  }
  TRY(auto read, ReadCompiledRun(folder, plan.program.path.filename().string()));
  run.recordings = std::move(read.recordings);
  run.coverage = std::move(read.coverage);
  run.caveats = std::move(read.caveats);
  return {};
}

// Why there is no recording at all: the program never began.
std::unexpected<Error> NotBegun(Engine engine, const EngineRun& run,
                                const std::filesystem::path& folder) {
  std::string said = FirstMessage(folder);
  if (said.empty()) said = run.finished.errors.substr(0, run.finished.errors.find('\n'));
  if (said.empty()) said = fmt::format("status {}", run.finished.ended.ShellStatus());
  return Fail(ErrorKind::kUnsupported,
              fmt::format("the engine {} could not load the program: {}; try another --engine",
                          Name(engine), said));
}

// What the recordings themselves say about what is missing in them.
void AddRecordingCaveats(std::uint64_t root, EngineRun& run) {
  for (const trace::Recording& recording : run.recordings) {
    if (recording.lost_blocks > 0 || recording.lost_threads > 0 || recording.lost_children > 0) {
      run.caveats.push_back(
          {CaveatId::kIncomplete,
           fmt::format("process {}: {} blocks, {} threads and {} child processes found no room",
                       recording.process, recording.lost_blocks, recording.lost_threads,
                       recording.lost_children)});
    }
    if (recording.process != root && recording.state == TARE_WIRE_RUNNING) {
      run.caveats.push_back(
          {CaveatId::kIncomplete,
           fmt::format("process {} was killed, or still ran when the program ended",
                       recording.process)});
    }
  }
}

}  // namespace

std::string_view Name(Engine engine) {
  return std::ranges::find(kNames, engine, &EngineName::engine)->name;
}

std::optional<Engine> ParseEngine(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, &EngineName::name);
  if (found == kNames.end()) return std::nullopt;
  return found->engine;
}

bool WasReplaced(const EngineRun& run) {
  const auto has_successor = [&](const trace::Recording& before) {
    return std::ranges::any_of(run.recordings, [&](const trace::Recording& recording) {
      return recording.process == before.process && recording.generation > before.generation;
    });
  };
  return std::ranges::any_of(run.recordings, [&](const trace::Recording& recording) {
    return recording.state == TARE_WIRE_REPLACED && !has_successor(recording);
  });
}

std::uint64_t CommonHwcap() {
#if defined(__aarch64__)
  // fp, asimd, aes, pmull, sha1, sha2, crc32, atomics: what Valgrind shows.
  return getauxval(AT_HWCAP) & 0x1fb;
#else
  // The edx of every x86-64 processor less vme, which QEMU hides; the C library asks CPUID for the
  // rest.
  return 0x078bfbfd;
#endif
}

Result<Region> FindRegion(const run::ResolvedProgram& program, const std::string& function) {
  Region region{function, program.path.string(), 0, 0, 0};
  // A C++ name has colons of its own, but no file.
  if (const auto colon = function.find(':');
      colon != std::string::npos && function.substr(0, colon).contains('/')) {
    region.file = function.substr(0, colon);
    region.function = function.substr(colon + 1);
  }
  TRY(const auto image, binary::OpenElf(region.file));
  const auto found =
      region.function == "main" ? image.FindMain() : image.FindFunction(region.function);
  if (!found) return std::unexpected(found.error());
  const auto offset = image.FileOffsetOf(found->start);
  struct stat status;
  if (!offset) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} has no code in {}", region.function, region.file));
  }
  if (stat(region.file.c_str(), &status) != 0) {
    return std::unexpected(SystemError("read", region.file, errno));
  }
  region.device = status.st_dev;
  region.inode = status.st_ino;
  region.offset = *offset;
  return region;
}

Result<void> CanRun(Engine engine, const machine::EngineFiles& files) {
  if (engine == Engine::kValgrind) {
    if (!files.valgrind_tool) {
      return Fail(ErrorKind::kUnsupported, "tare was built without its Valgrind tool");
    }
    if (!files.valgrind_launcher) {
      return Fail(ErrorKind::kUnsupported, "valgrind is not installed");
    }
  }
  if (engine == Engine::kQemu) {
    if (!files.qemu_plugin) {
      return Fail(ErrorKind::kUnsupported, "tare's QEMU plugin is not installed");
    }
    if (!files.qemu_program) {
      return Fail(ErrorKind::kUnsupported, "qemu-user is not installed for this architecture");
    }
  }
  return {};
}

Result<EngineRun> RunUnder(Engine engine, const machine::EngineFiles& files,
                           const EnginePlan& plan) {
  TRY_VOID(CanRun(engine, files));
  TRY_VOID(RefuseTapes(engine, plan));
  TRY(const auto folder, PrivateFolder::Make());
  const std::string path = folder.path().string();
  EngineRun run;
  std::uint64_t root = 0;
  run::Hooks hooks;
  hooks.interrupted = plan.interrupted;
  hooks.before_exec = [&root](pid_t process) -> Result<void> {
    root = static_cast<std::uint64_t>(process);
    return {};
  };
  if (engine == Engine::kValgrind) {
    TRY(run.finished, RunValgrind(files, plan, path, hooks));
  } else if (engine == Engine::kQemu) {
    TRY(run.finished, RunQemu(files, plan, path, hooks));
  } else if (engine == Engine::kStep) {
    TRY(run.finished, RunStep(plan, path, hooks));
  } else {
    TRY(run.finished, RunCompiled(plan, path, hooks));
  }
  // Engines within the program know it by the number that it has there; the tracer is outside.
  if (plan.setting.process_id && engine != Engine::kStep) {
    root = static_cast<std::uint64_t>(*plan.setting.process_id);
  }
  TRY_VOID(ReadRun(engine, plan, folder.path(), run));
  if (run.recordings.empty()) return NotBegun(engine, run, folder.path());
  TRY_VOID(KeepTape(plan.tapes, folder.path()));
  if (!plan.children) {
    std::erase_if(run.recordings, [root](const trace::Recording& recording) {
      return recording.process != root || recording.generation > 0;
    });
  }
  run.caveats.insert(run.caveats.end(), run.finished.caveats.begin(), run.finished.caveats.end());
  AddRecordingCaveats(root, run);
  return run;
}

}  // namespace tare::count
