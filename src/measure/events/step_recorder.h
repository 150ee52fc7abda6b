// step_recorder.h: records the instructions of a program that runs by single steps.
#pragma once

#include "measure/engine/stepped_instruction.h"
#include "measure/events/flow_recorder.h"
#include "measure/events/trace_builder.h"

namespace tare::events {

// Each instruction becomes a block. `builder` and `blocks` must outlive the function.
engine::OnStep RecordSteps(TraceBuilder& builder, Content content, RecordedBlocks& blocks);

}  // namespace tare::events
