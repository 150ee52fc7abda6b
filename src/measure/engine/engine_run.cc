// engine_run.cc: what a run under any engine has in common.
#include "measure/engine/engine_run.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/private_directory.h"
#include "binary/elf/elf_image.h"
#include "measure/engine/engine_setting.h"
#include "measure/engine/valgrind_engine.h"
#include "measure/engine/virtual_engine.h"

namespace tare::engine {
namespace {

Result<void> RefuseSystemLogs(Engine engine, const EnginePlan& plan) {
  const bool wanted = plan.system_logs.record || !plan.system_logs.replay.empty();
  if (!wanted || Row(engine).replays_system_logs) return {};
  return Fail(ErrorKind::kUnsupported,
              fmt::format("the engine {} cannot record or replay system inputs; use valgrind",
                          Name(engine)));
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
           fmt::format("process {}: no room for {} blocks, {} threads and {} child processes",
                       recording.process, recording.lost_blocks, recording.lost_threads,
                       recording.lost_children)});
    }
    if (recording.process != root && recording.state == TARE_WIRE_RUNNING) {
      run.caveats.push_back(
          {CaveatId::kIncomplete,
           fmt::format("process {} was killed, or was still running when the program ended",
                       recording.process)});
    }
  }
}

}  // namespace

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

Result<EngineRun> RunUnder(Engine engine, const host::EngineFiles& files, const EnginePlan& plan) {
  const EngineRow& row = Row(engine);
  if (row.run == nullptr) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("the engine {} counts events only in native runs", row.name));
  }
  TRY_VOID(CanRun(engine, files));
  TRY_VOID(RefuseSystemLogs(engine, plan));
  TRY(const auto directory, PrivateDirectory::Make());
  std::uint64_t root = 0;
  EngineTask task{files, plan, directory.path().string(), {}};
  task.hooks.interrupted = plan.interrupted;
  task.hooks.before_exec = [&root, &plan](pid_t process) -> Result<void> {
    root = static_cast<std::uint64_t>(process);
    if (plan.before_exec) plan.before_exec(process);
    return {};
  };
  TRY(auto run, row.run(task));
  // Engines inside the program see its PID in the PID namespace; the tracer is outside.
  if (plan.setting.process_id && row.is_in_pid_namespace) {
    root = static_cast<std::uint64_t>(*plan.setting.process_id);
  }
  const bool needs_recordings = !plan.virtual_pmu || plan.virtual_pmu->needs_counters;
  if (run.recordings.empty() && needs_recordings) return NotBegun(engine, run, directory.path());
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
  AddFlowCaveats(plan, root, run);
  return run;
}

}  // namespace tare::engine
