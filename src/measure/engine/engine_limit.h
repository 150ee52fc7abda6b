// engine_limit.h: the time limit of a run under an engine.
#pragma once

#include <optional>

#include "base/result.h"
#include "measure/engine/engine_run.h"
#include "measure/run/process.h"

namespace tare::engine {

// The limit of a run under `engine`. `requested` takes precedence; infinity means no limit.
// Otherwise the limit is derived from the duration of a native run, and there is none if that is
// unknown.
std::optional<EngineLimit> LimitOf(Engine engine, std::optional<double> requested,
                                   std::optional<double> native_seconds);

// Like run::RunProgram, but returns kTimedOut if the plan's limit is exceeded, after ending all
// descendants of the program. A shorter timeout in the setting keeps its meaning.
Result<run::Finished> RunWithinLimit(Engine engine, const EnginePlan& plan,
                                     const run::ResolvedProgram& program, run::Setting setting,
                                     const run::Hooks& hooks);

}  // namespace tare::engine
