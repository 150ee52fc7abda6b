// compiled_run.cc: tells the program where its counters go, and reads them.
#include "measure/engine/compiled_run.h"

#include <string>
#include <utility>
#include <vector>

#include "format/counters_wire.h"
#include "measure/engine/compiled_engine.h"
#include "measure/engine/engine_limit.h"
#include "measure/engine/engine_setting.h"
#include "measure/engine/stream_engine.h"

namespace tare::engine {
namespace {

Result<run::Finished> RunProgram(const EngineTask& task,
                                 std::vector<vpmu::CompiledEvents>& streams) {
  const EnginePlan& plan = task.plan;
  if (plan.region) {
    return Fail(ErrorKind::kUnsupported,
                "the engine compiled counts whole programs; omit --region");
  }
  run::Setting setting = plan.setting;
  FixName(plan, setting);
  TRY(auto environment, ProgramEnvironment(plan.program, setting));
  environment.push_back(std::string(TARE_RUN_VARIABLE "=") + task.directory);
  GiveEnvironment(setting, std::move(environment));
  run::Hooks hooks = task.hooks;
  const auto run = [&] {
    return RunWithinLimit(Engine::kCompiled, plan, plan.program, setting, hooks);
  };
  if (!plan.virtual_pmu) return run();
  TRY_VOID(StreamThread::Prepare(plan, task.directory));
  StreamThread thread(plan, task.directory);
  hooks.before_exec = [&thread, first = task.hooks.before_exec](pid_t process) -> Result<void> {
    TRY_VOID(first(process));
    return thread.Start();
  };
  TRY(auto finished, run());
  TRY(streams, thread.Finish());
  return finished;
}

}  // namespace

Result<EngineRun> RunCompiledEngine(const EngineTask& task) {
  EngineRun run;
  std::vector<vpmu::CompiledEvents> streams;
  TRY(run.finished, RunProgram(task, streams));
  auto read = ReadCompiledRun(task.directory, task.plan.program.path.filename().string());
  if (!read) {
    const auto& streams_plan = task.plan.virtual_pmu;
    if (streams_plan && !streams_plan->needs_counters) return run;
    return std::unexpected(read.error());
  }
  run.recordings = std::move(read->recordings);
  run.coverage = std::move(read->coverage);
  run.caveats = std::move(read->caveats);
  if (!run.recordings.empty()) JoinStreams(std::move(streams), run);
  return run;
}

}  // namespace tare::engine
