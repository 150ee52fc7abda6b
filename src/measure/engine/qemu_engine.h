// qemu_engine.h: counting, and streaming of blocks, by a plugin of qemu-user.
#pragma once

#include "measure/engine/engine.h"
#include "measure/engine/engine_run.h"

namespace tare::engine {

Result<EngineRun> RunQemuEngine(const EngineTask& task);

}  // namespace tare::engine
