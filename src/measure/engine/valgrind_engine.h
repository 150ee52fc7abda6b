// valgrind_engine.h: tare's Valgrind tool, its command line and its logs.
#pragma once

#include <filesystem>
#include <string>

#include "measure/engine/engine_run.h"

namespace tare::engine {

// Recordings, and flows with EnginePlan::virtual_pmu, go to `directory`. A flow has to be read
// meanwhile: the program waits for that.
Result<run::Finished> RunValgrind(const host::EngineFiles& files, const EnginePlan& plan,
                                  const std::string& directory, const run::Hooks& hooks);

// Counts only, whatever the plan says of models.
Result<EngineRun> RunValgrindEngine(const EngineTask& task);

// After the run: the log that was asked for.
Result<void> KeepSystemLog(const SystemLogs& system_logs, const std::filesystem::path& directory);

}  // namespace tare::engine
