// step_run.h: one run of a program by single steps.
#pragma once

#include "measure/engine/engine.h"
#include "measure/engine/engine_run.h"

namespace tare::engine {

Result<EngineRun> RunStepEngine(const EngineTask& task);

}  // namespace tare::engine
