// stream_recorder.h: records the blocks of a program built by tare-cc --tare-blocks --tare-stream.
#pragma once

#include <atomic>
#include <filesystem>

#include "base/result.h"
#include "measure/events/flow_recorder.h"
#include "measure/events/trace_builder.h"

namespace tare::events {

// Reads the streams in `directory` until `ended` is set and none is left.
Result<void> RecordStreams(const std::filesystem::path& directory, const std::atomic<bool>& ended,
                           Content content, TraceBuilder& builder, const IsRecorded& is_recorded);

}  // namespace tare::events
