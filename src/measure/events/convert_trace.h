// convert_trace.h: writes a trace again: expanded, compressed or sampled.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"
#include "format/event_reader.h"
#include "format/event_trace.h"
#include "measure/events/trace_builder.h"

namespace tare::events {

struct ConvertPlan {
  std::optional<format::TraceEncoding> encoding = format::TraceEncoding::kFull;  // none: as it is
  int level = 3;                                                                 // of zstd
  BlockSampling sampling;  // of blocks; `kept` 0: all
};

struct Converted {
  format::TraceEncoding encoding = format::TraceEncoding::kFull;
  std::uint64_t blocks = 0;
  std::uint64_t timed = 0;
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = 0;
  std::uint64_t raw_bytes = 0;
  format::EventTraceOutcome outcome;  // of the trace that was read
};

// Events, marks and tables stay the same, in the same order. An incomplete trace gives an
// incomplete one, with everything that could be read. kUsage for a sample of a trace that is one
// already.
Result<Converted> Convert(const std::filesystem::path& from, const std::filesystem::path& to,
                          const ConvertPlan& plan);

}  // namespace tare::events
