// valgrind_engine.h: tare's Valgrind tool, its command line and its tapes.
#pragma once

#include <filesystem>
#include <string>

#include "measure/engine/engine_run.h"

namespace tare::engine {

// Recordings, and flows with EnginePlan::virtual_pmu, go to `folder`. A flow has to be read
// meanwhile: the program waits for that.
Result<run::Finished> RunValgrind(const host::EngineFiles& files, const EnginePlan& plan,
                                  const std::string& folder, const run::Hooks& hooks);

// After the run: the tape that was asked for.
Result<void> KeepTape(const Tapes& tapes, const std::filesystem::path& folder);

}  // namespace tare::engine
