// step_run.cc: starts a program with the tracer attached.
#include "measure/engine/step_run.h"

#include <utility>

#include "format/recording.h"
#include "measure/engine/engine_limit.h"
#include "measure/engine/engine_setting.h"
#include "measure/engine/step_engine.h"

namespace tare::engine {

Result<EngineRun> RunStepEngine(const EngineTask& task) {
  const EnginePlan& plan = task.plan;
  StepPlan step;
  step.directory = task.directory;
  step.region = plan.region;
  step.children = plan.children;
  step.pin_view = plan.pin_view;
  step.features = FeaturesOf(plan);
  step.on_step = plan.on_step;
  run::Setting setting = plan.setting;
  FixName(plan, setting);
  // The tracer applies the layout, because only one ptrace tracer can attach to a process.
  step.layout = std::exchange(setting.layout, {});
  StepTracer tracer(step);
  run::Hooks hooks = task.hooks;
  hooks.before_exec = [&tracer, first = task.hooks.before_exec](pid_t process) -> Result<void> {
    TRY_VOID(first(process));
    return tracer.Attach(process);
  };
  EngineRun run;
  TRY(run.finished, RunWithinLimit(Engine::kStep, plan, plan.program, setting, hooks));
  TRY_VOID(tracer.WaitForLayout());
  TRY(run.recordings, format::ReadRecordings(task.directory));
  return run;
}

}  // namespace tare::engine
