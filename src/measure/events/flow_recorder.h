// flow_recorder.h: records the blocks of a program that runs under Valgrind or QEMU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "binary/decode/instruction.h"
#include "format/event_trace.h"
#include "format/recording.h"
#include "measure/events/trace_builder.h"
#include "model/vpmu/flow_rotation.h"

namespace tare::events {

enum class Content { kBlocks, kInstructions, kAddresses };

// Which blocks of a recording are which of the trace.
using RecordedBlocks =
    std::map<std::pair<std::uint64_t, std::uint64_t>,                // process, generation
             std::vector<std::pair<std::uint64_t, std::uint32_t>>>;  // block there, block here

// What follows a block whose last instruction is such a branch.
format::BlockEnd EndOfBlock(decode::BranchKind branch);

// Whether a process belongs in the trace. What others execute is read and dropped.
using IsRecorded = std::function<bool(std::uint64_t process)>;

// `builder` and `blocks` must outlive the sinks.
vpmu::MakeFlowSink RecordFlows(TraceBuilder& builder, Content content, RecordedBlocks& blocks,
                               IsRecorded is_recorded);

// Names the functions of recorded blocks.
void NameRecorded(std::span<const format::Recording> recordings, const RecordedBlocks& blocks,
                  TraceBuilder& builder);

}  // namespace tare::events
