// engine_run.cc: builds the engines' command lines and reads their results.
#include "measure/engine/engine_run.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/private_directory.h"
#include "binary/decode/architecture.h"
#include "binary/elf/elf_image.h"
#include "count/engine_limit.h"
#include "format/counters_wire.h"
#include "format/start_stack.h"
#include "measure/engine/compiled_engine.h"
#include "measure/engine/engine_setting.h"
#include "measure/engine/step_engine.h"
#include "measure/engine/stream_engine.h"
#include "measure/engine/valgrind_engine.h"
#include "measure/engine/virtual_engine.h"

namespace tare::engine {
namespace {

struct EngineName {
  Engine engine;
  std::string_view name;
};

constexpr std::array kNames = {
    EngineName{Engine::kValgrind, "valgrind"}, EngineName{Engine::kQemu, "qemu"},
    EngineName{Engine::kStep, "step"},         EngineName{Engine::kCompiled, "compiled"},
    EngineName{Engine::kVirtual, "virtual"},
};

Result<void> RefuseSystemLogs(Engine engine, const EnginePlan& plan) {
  if (UsesValgrind(engine) || (!plan.system_logs.record && plan.system_logs.play.empty()))
    return {};
  return Fail(
      ErrorKind::kUnsupported,
      fmt::format("the engine {} has no system_log of what a program asks for; use valgrind",
                  Name(engine)));
}

// Starts reading the flow once the program's process exists and no further fork follows.
Result<run::Finished> RunVirtual(const host::EngineFiles& files, const EnginePlan& plan,
                                 const std::string& directory, run::Hooks hooks,
                                 std::vector<vpmu::ProcessEvents>& events) {
  TRY_VOID(RequireProcessor(plan));
  FlowThread thread(plan, directory);
  hooks.before_exec = [&thread, first = hooks.before_exec](pid_t process) -> Result<void> {
    TRY_VOID(first(process));
    thread.Start();
    return {};
  };
  TRY(auto finished, RunValgrind(files, plan, directory, hooks));
  TRY(events, thread.Finish());
  return finished;
}

// Commas separate the plugin's arguments; a doubled comma is a literal one.
std::string PluginValue(std::string value) {
  std::string doubled;
  for (const char letter : value) doubled += letter == ',' ? ",," : std::string(1, letter);
  return doubled;
}

// On x86-64: the processor that Valgrind emulates, as closely as QEMU can match it.
std::string QemuProcessor() {
  if (decode::HostArchitecture() == decode::Architecture::kAArch64) return "max,sve=off";
  return "max,vendor=GenuineIntel,family=6,model=60,stepping=3,-adx,-mpx,-sse4a,-3dnow,-3dnowext,-"
         "svm";
}

Result<run::Finished> RunQemu(const host::EngineFiles& files, const EnginePlan& plan,
                              const std::string& directory, const run::Hooks& hooks) {
  if (plan.setting.layout.IsAsked()) {
    return Fail(ErrorKind::kUnsupported,
                "the engine qemu lays memory out itself; use valgrind or step for offsets");
  }
  std::string plugin =
      fmt::format("{},directory={},pin={},hwcap={:x}", PluginValue(files.qemu_plugin->string()),
                  PluginValue(directory), plan.pin_view ? "yes" : "no", FeaturesOf(plan));
  if (plan.region) plugin += ",region=" + RegionText(*plan.region);
  run::Setting setting = plan.setting;
  FixName(plan, setting);
  TRY(auto environment, ProgramEnvironment(plan.program, setting));
  // QEMU passes the variables on in reverse order.
  std::ranges::reverse(environment);
  // QEMU also reads its options from environment variables, and its option -E cannot restore
  // variables that contain commas.
  if (HideVariables(TARE_QEMU_PREFIX, environment)) plugin += ",hidden=yes";
  GiveEnvironment(setting, std::move(environment));
  std::vector<std::string> prefix = {files.qemu_program->string(), "-cpu", QemuProcessor(),
                                     "-plugin", plugin};
  TRY(const auto program, run::Wrapped(plan.program, std::move(prefix)));
  return RunWithinLimit(Engine::kQemu, plan, program, setting, hooks);
}

Result<run::Finished> RunStep(const EnginePlan& plan, const std::string& directory,
                              run::Hooks hooks) {
  StepPlan step;
  step.directory = directory;
  step.region = plan.region;
  step.children = plan.children;
  step.pin_view = plan.pin_view;
  step.features = FeaturesOf(plan);
  run::Setting setting = plan.setting;
  FixName(plan, setting);
  // The tracer applies the layout, because only one ptrace tracer can attach to a process.
  step.layout = std::exchange(setting.layout, {});
  StepTracer tracer(step);
  hooks.before_exec = [&tracer, first = hooks.before_exec](pid_t process) -> Result<void> {
    TRY_VOID(first(process));
    return tracer.Attach(process);
  };
  TRY(auto finished, RunWithinLimit(Engine::kStep, plan, plan.program, setting, hooks));
  TRY_VOID(tracer.LaidOut());
  return finished;
}

Result<run::Finished> RunCompiled(const EnginePlan& plan, const std::string& directory,
                                  run::Hooks hooks, std::vector<vpmu::CompiledEvents>& streams) {
  if (plan.region) {
    return Fail(ErrorKind::kUnsupported,
                "the engine compiled counts whole programs: leave out --region");
  }
  run::Setting setting = plan.setting;
  FixName(plan, setting);
  TRY(auto environment, ProgramEnvironment(plan.program, setting));
  environment.push_back(std::string(TARE_RUN_VARIABLE "=") + directory);
  GiveEnvironment(setting, std::move(environment));
  const auto run = [&] {
    return RunWithinLimit(Engine::kCompiled, plan, plan.program, setting, hooks);
  };
  if (!plan.virtual_pmu) return run();
  TRY_VOID(StreamThread::Prepare(plan, directory));
  StreamThread thread(plan, directory);
  hooks.before_exec = [&thread, first = hooks.before_exec](pid_t process) -> Result<void> {
    TRY_VOID(first(process));
    thread.Start();
    return {};
  };
  TRY(auto finished, run());
  TRY(streams, thread.Finish());
  return finished;
}

Result<void> ReadRun(Engine engine, const EnginePlan& plan, const std::filesystem::path& directory,
                     EngineRun& run) {
  if (engine != Engine::kCompiled) {
    TRY(run.recordings, format::ReadRecordings(directory));
    return {};
  }
  TRY(auto read, ReadCompiledRun(directory, plan.program.path.filename().string()));
  run.recordings = std::move(read.recordings);
  run.coverage = std::move(read.coverage);
  run.caveats = std::move(read.caveats);
  return {};
}

// The error for a run without any recording: the program never started.
std::unexpected<Error> NotBegun(Engine engine, const EngineRun& run,
                                const std::filesystem::path& directory) {
  std::string said = FirstMessage(directory);
  if (said.empty()) said = run.finished.errors.substr(0, run.finished.errors.find('\n'));
  if (said.empty()) said = fmt::format("status {}", run.finished.ended.ShellStatus());
  return Fail(ErrorKind::kUnsupported,
              fmt::format("the engine {} could not load the program: {}; try another --engine",
                          Name(engine), said));
}

// Adds caveats for losses that the recordings themselves report.
void AddRecordingCaveats(std::uint64_t root, EngineRun& run) {
  for (const format::Recording& recording : run.recordings) {
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

bool UsesValgrind(Engine engine) {
  return engine == Engine::kValgrind || engine == Engine::kVirtual;
}

std::string_view Name(Engine engine) {
  return std::ranges::find(kNames, engine, &EngineName::engine)->name;
}

std::optional<Engine> ParseEngine(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, &EngineName::name);
  if (found == kNames.end()) return std::nullopt;
  return found->engine;
}

bool WasReplaced(const EngineRun& run) {
  const auto has_successor = [&](const format::Recording& before) {
    return std::ranges::any_of(run.recordings, [&](const format::Recording& recording) {
      return recording.process == before.process && recording.generation > before.generation;
    });
  };
  return std::ranges::any_of(run.recordings, [&](const format::Recording& recording) {
    return recording.state == TARE_WIRE_REPLACED && !has_successor(recording);
  });
}

std::uint64_t CommonHwcap() {
#if defined(__aarch64__)
  // The features that Valgrind provides: fp, asimd, aes, pmull, sha1, sha2, crc32, atomics.
  return getauxval(AT_HWCAP) & 0x1fb;
#else
  // EDX of CPUID leaf 1 on every x86-64 processor, minus vme, which QEMU hides. The C library
  // queries CPUID itself for everything else.
  return 0x078bfbfd;
#endif
}

Result<Region> FindRegion(const run::ResolvedProgram& program, const std::string& function) {
  Region region{function, program.path.string(), 0, 0, 0};
  // A C++ name contains colons too, but no '/'.
  if (const auto colon = function.find(':');
      colon != std::string::npos && function.substr(0, colon).contains('/')) {
    region.file = function.substr(0, colon);
    region.function = function.substr(colon + 1);
  }
  TRY(const auto image, elf::OpenElf(region.file));
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

Result<void> CanRun(Engine engine, const host::EngineFiles& files) {
  if (UsesValgrind(engine)) {
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

Result<EngineRun> RunUnder(Engine engine, const host::EngineFiles& files, const EnginePlan& plan) {
  TRY_VOID(CanRun(engine, files));
  TRY_VOID(RefuseSystemLogs(engine, plan));
  TRY(const auto directory, PrivateDirectory::Make());
  const std::string path = directory.path().string();
  EngineRun run;
  std::vector<vpmu::CompiledEvents> streams;
  std::uint64_t root = 0;
  run::Hooks hooks;
  hooks.interrupted = plan.interrupted;
  hooks.before_exec = [&root](pid_t process) -> Result<void> {
    root = static_cast<std::uint64_t>(process);
    return {};
  };
  if (engine == Engine::kVirtual) {
    TRY(run.finished, RunVirtual(files, plan, path, hooks, run.events));
  } else if (engine == Engine::kValgrind) {
    EnginePlan counted = plan;
    counted.virtual_pmu.reset();
    TRY(run.finished, RunValgrind(files, counted, path, hooks));
  } else if (engine == Engine::kQemu) {
    TRY(run.finished, RunQemu(files, plan, path, hooks));
  } else if (engine == Engine::kStep) {
    TRY(run.finished, RunStep(plan, path, hooks));
  } else {
    TRY(run.finished, RunCompiled(plan, path, hooks, streams));
  }
  // Engines inside the program see its PID in the PID namespace; the tracer is outside.
  if (plan.setting.process_id && engine != Engine::kStep) {
    root = static_cast<std::uint64_t>(*plan.setting.process_id);
  }
  TRY_VOID(ReadRun(engine, plan, directory.path(), run));
  if (run.recordings.empty()) return NotBegun(engine, run, directory.path());
  JoinStreams(std::move(streams), run);
  TRY_VOID(KeepSystemLog(plan.system_logs, directory.path()));
  if (!plan.children) {
    const auto is_other = [root](const auto& of) {
      return of.process != root || of.generation > 0;
    };
    std::erase_if(run.recordings, is_other);
    std::erase_if(run.events, is_other);
  }
  run.caveats.insert(run.caveats.end(), run.finished.caveats.begin(), run.finished.caveats.end());
  AddRecordingCaveats(root, run);
  AddFlowCaveats(root, run);
  return run;
}

}  // namespace tare::engine
