// valgrind_engine.h: runs tare's Valgrind tool and keeps its system log.
#pragma once

#include <filesystem>
#include <string>

#include "measure/engine/engine_run.h"

namespace tare::engine {

// Writes recordings to `directory`, and flows if plan.virtual_pmu is set. Flows must be read during
// the run, because the program waits for the reader.
Result<run::Finished> RunValgrind(const host::EngineFiles& files, const EnginePlan& plan,
                                  const std::string& directory, const run::Hooks& hooks);

// Counts only, whatever the plan says of models.
Result<EngineRun> RunValgrindEngine(const EngineTask& task);

// Call after the run: stores the requested log.
Result<void> KeepSystemLog(const SystemLogs& system_logs, const std::filesystem::path& directory);

}  // namespace tare::engine
