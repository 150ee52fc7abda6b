// instruction_trace.h: a vertical trace that is sampled by instruction count instead of time.
#pragma once

#include "measure/sample/trace_program.h"

namespace tare::sample {

// Runs the program under the virtual engine and takes a record after every so many instructions:
// the counts of the models of `request.processor`, and the program's own counters if tare-cc built
// it. No clock is read, so a deterministic program always gives the same file. Fails like
// TraceProgram, and if the engine is not available.
Result<TraceRun> TraceInstructions(const TraceRequest& request);

}  // namespace tare::sample
