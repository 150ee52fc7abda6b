// engine_limit.h: how long a run under an engine may take, and what happens when it takes longer.
#pragma once

#include <optional>

#include "base/result.h"
#include "measure/engine/engine_run.h"
#include "measure/run/process.h"

namespace tare::engine {

// The limit of a run under `engine`. `asked` wins, and infinity asks for none; otherwise it follows
// from the time of the program on its own, and where neither is known there is none.
std::optional<EngineLimit> LimitOf(Engine engine, std::optional<double> asked,
                                   std::optional<double> native_seconds);

// As run::RunProgram. kTimedOut when the plan's limit is exceeded, which ends all that descends
// from the program. A timeout in the setting that is shorter keeps its meaning.
Result<run::Finished> RunWithinLimit(Engine engine, const EnginePlan& plan,
                                     const run::ResolvedProgram& program, run::Setting setting,
                                     const run::Hooks& hooks);

}  // namespace tare::engine
