// instruction_trace.h: a vertical trace whose clock is the program's own instructions.
#pragma once

#include "measure/sample/trace_program.h"

namespace tare::sample {

// Runs the program under the virtual engine and takes a record whenever so many instructions have
// run: what the models of `request.processor` count, and the program's own counters when tare-cc
// has built it. No clock is read: the file of a program that always does the same is always the
// same. Fails as TraceProgram does, and when the engine cannot be had.
Result<TraceRun> TraceInstructions(const TraceRequest& request);

}  // namespace tare::sample
