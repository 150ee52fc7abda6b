// valgrind_engine.cc: the Valgrind tool's command line and its system log.
#include "measure/engine/valgrind_engine.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/file.h"
#include "binary/decode/architecture.h"
#include "format/counters_wire.h"
#include "format/start_stack.h"
#include "measure/engine/engine_limit.h"
#include "measure/engine/engine_setting.h"
#include "model/vpmu/exact_filter.h"

namespace tare::engine {
namespace {

// In the recording directory until the run has ended.
constexpr const char* kSystemLog = "system_log";

Result<void> AddPlacing(const run::Layout& layout, std::vector<std::string>& prefix) {
  // Valgrind gives the heap (brk) 8 MiB, and the offset is taken from them.
  constexpr std::uint64_t kMaxHeapOffset = 4 << 20;
  constexpr std::uint64_t kMaxMappingOffset = 1 << 30;
  if (layout.heap_bytes > kMaxHeapOffset || layout.mapping_bytes > kMaxMappingOffset) {
    return Fail(
        ErrorKind::kUnsupported,
        "the engine valgrind moves the heap by at most 4 MiB and mappings by at most 1 GiB");
  }
  const auto add = [&prefix](const char* option, std::uint64_t bytes) {
    if (bytes != 0) prefix.push_back(fmt::format("--{}={}", option, bytes));
  };
  add("stack-offset", layout.stack_bytes);
  add("heap-offset", layout.heap_bytes);
  add("mapping-offset", layout.mapping_bytes);
  return {};
}

// Validates the logs first: one that the tool cannot replay would end the program before it starts.
Result<void> AddSystemLogs(const SystemLogs& system_logs, const std::string& directory,
                           std::vector<std::string>& prefix) {
  if (system_logs.record) prefix.push_back("--system-log=" + directory + "/" + kSystemLog);
  for (const auto& [kind, path] : system_logs.replay) {
    if (!format::CanReplay(kind)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: inputs of this kind cannot be replayed", format::Name(kind)));
    }
    TRY(const auto system_log, format::ReadSystemLog(path));
    if (system_log.architecture != HostMachine()) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("{}: the system log is from another architecture", path.string()));
    }
    prefix.push_back(fmt::format("--replay-{}={}", format::Name(kind),
                                 std::filesystem::absolute(path).string()));
  }
  return {};
}

void AddFilter(const tare_flow_filter& filter, std::vector<std::string>& prefix) {
  if (filter.entries == 0) return;
  prefix.push_back(
      fmt::format("--flow-filter={}:{}:{}", filter.line_shift, filter.index_shift, filter.entries));
  if (filter.page_entries != 0) {
    prefix.push_back(fmt::format("--flow-pages={}:{}", filter.page_shift, filter.page_entries));
  }
  prefix.push_back(fmt::format("--flow-dirty={}", filter.dirty != 0 ? "yes" : "no"));
}

void AddFlow(const VirtualPlan& plan, std::vector<std::string>& prefix) {
  prefix.push_back("--flow=yes");
  if (plan.sample_instructions != 0) {
    prefix.push_back(fmt::format("--flow-sample={}", plan.sample_instructions));
  }
  if (plan.first_sample != 0) prefix.push_back(fmt::format("--flow-first={}", plan.first_sample));
  if (!plan.make_sink) {
    if (plan.filter) AddFilter(vpmu::ExactFilter(plan.processor), prefix);
    return;
  }
  AddFilter(plan.sink_filter, prefix);
  if (plan.sink_filter.groups != 0) {
    prefix.push_back(fmt::format("--flow-groups={}", plan.sink_filter.groups));
    prefix.push_back(fmt::format("--flow-windows={}:{}", plan.window_parts, plan.window_period));
  } else if (plan.sink_filter.entries != 0 && plan.burst_chunks != 0) {
    prefix.push_back(fmt::format("--flow-burst={}:{}", plan.burst_chunks, plan.burst_period));
  }
}

}  // namespace

Result<run::Finished> RunValgrind(const host::EngineFiles& files, const EnginePlan& plan,
                                  const std::string& directory, const run::Hooks& hooks) {
  std::vector<std::string> prefix = {
      files.valgrind_tool->string(),
      "--tool=tare",
      // Ignores .valgrindrc of the home and the current directory, and VALGRIND_OPTS in programs
      // that a child executes.
      "--command-line-only=yes",
      "-q",
      "--vgdb=no",
      fmt::format("--trace-children={}", plan.children ? "yes" : "no"),
      "--directory=" + directory,
      // Valgrind's message about a fatal signal is not part of the program's output.
      "--log-file=" + directory + "/" + kMessages,
      fmt::format("--pin={}", plan.pin_view ? "yes" : "no"),
      fmt::format("--hwcap={:x}", FeaturesOf(plan)),
  };
  if (plan.region) prefix.push_back("--region=" + RegionText(*plan.region));
  // Without this, a store-exclusive of the host fails occasionally and each retry would be counted.
  if (decode::HostArchitecture() == decode::Architecture::kAArch64) {
    prefix.push_back("--sim-hints=fallback-llsc");
  }
  if (plan.memory_place != 0) {
    prefix.push_back(fmt::format("--further-mappings={}", 100 * plan.memory_place));
    prefix.push_back(fmt::format("--aspace-minaddr={:#x}", 0x1913'0000 * plan.memory_place));
  }
  TRY_VOID(AddPlacing(plan.setting.layout, prefix));
  TRY_VOID(AddSystemLogs(plan.system_logs, directory, prefix));
  if (plan.virtual_pmu) AddFlow(*plan.virtual_pmu, prefix);
  run::Setting setting = plan.setting;
  // The process that starts is the engine, which applies the layout itself.
  setting.layout = {};
  FixName(plan, setting);
  TRY(auto environment, ProgramEnvironment(plan.program, setting));
  HideVariables(TARE_VALGRIND_PREFIX, environment);
  environment.push_back("VALGRIND_LIB=" + files.valgrind_directory->string());
  environment.push_back("VALGRIND_LAUNCHER=" + files.valgrind_launcher->string());
  if (plan.virtual_pmu && !plan.virtual_pmu->counters_directory.empty()) {
    environment.push_back(TARE_RUN_VARIABLE "=" + plan.virtual_pmu->counters_directory.string());
  }
  GiveEnvironment(setting, std::move(environment));
  TRY(const auto program, run::Wrapped(plan.program, std::move(prefix)));
  const Engine engine = plan.virtual_pmu ? Engine::kVirtual : Engine::kValgrind;
  return RunWithinLimit(engine, plan, program, setting, hooks);
}

Result<EngineRun> RunValgrindEngine(const EngineTask& task) {
  EnginePlan plan = task.plan;
  plan.virtual_pmu.reset();
  EngineRun run;
  TRY(run.finished, RunValgrind(task.files, plan, task.directory, task.hooks));
  TRY(run.recordings, format::ReadRecordings(task.directory));
  return run;
}

Result<void> KeepSystemLog(const SystemLogs& system_logs, const std::filesystem::path& directory) {
  if (!system_logs.record) return {};
  const auto system_log = format::ReadSystemLog(directory / kSystemLog);
  if (system_log) return WriteFileAtomically(*system_logs.record, system_log->bytes);
  const std::string said = FirstMessage(directory);
  if (said.empty()) return std::unexpected(system_log.error());
  return Fail(ErrorKind::kIo, "the engine valgrind: " + said);
}

}  // namespace tare::engine
