// record_blocks.h: runs a program once under an engine and records its blocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "format/event_trace.h"
#include "measure/engine/engine_run.h"
#include "measure/events/flow_recorder.h"
#include "measure/events/system_events.h"
#include "measure/events/trace_summary.h"

namespace tare::events {

enum class BlockSource { kValgrind, kQemu, kCompiled, kStep };

struct BlockPlan {
  engine::EnginePlan engine;
  host::EngineFiles files;
  BlockSource source = BlockSource::kValgrind;
  Content content = Content::kBlocks;
  BlockSampling sampling;
  SystemKinds system;
  format::EventTraceHead head;
  std::filesystem::path output;
  std::optional<double> summarize;  // with intervals at this confidence
};

struct Recorded {
  run::Finished finished;
  std::vector<Caveat> caveats;
  std::uint64_t blocks = 0;
  std::uint64_t timed = 0;
  std::uint64_t bytes = 0;  // of the file
  std::optional<TraceSummary> summary;
};

// Removes a trace without events, after a failure.
void RemoveEmpty(const std::filesystem::path& trace);

// The trace is complete if the program ended by itself and nothing was lost. A write error is
// returned as an error after the program has ended.
Result<Recorded> RecordBlocks(const BlockPlan& plan);

}  // namespace tare::events
