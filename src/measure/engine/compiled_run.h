// compiled_run.h: one run of a program that counts its own blocks.
#pragma once

#include "measure/engine/engine.h"
#include "measure/engine/engine_run.h"

namespace tare::engine {

// With EnginePlan::virtual_pmu its address stream is fed to the models meanwhile.
Result<EngineRun> RunCompiledEngine(const EngineTask& task);

}  // namespace tare::engine
