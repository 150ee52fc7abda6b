// stream_collector.h: collects the use of memory of each block from the streams of a program built
// by tare-cc.
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "model/vpmu/stream_consumer.h"
#include "predict/signature/collect.h"
#include "predict/signature/reuse_model.h"

namespace tare::signature {

using StreamUse = vpmu::StreamResult<ReuseModel>;

// Reads the streams in `directory` until `ended` is set and none is left; one element per process.
Result<std::vector<StreamUse>> CollectStreams(const CollectPlan& plan,
                                              const std::filesystem::path& directory,
                                              const std::atomic<bool>& ended);

// Assigns what a process's streams gave to the blocks of its recording, and numbers the blocks.
// Adds caveats on what the source cannot see.
CollectedPart JoinStream(const StreamUse& stream, const Grid& grid, format::Recording& recording,
                         std::vector<Caveat>& caveats);

}  // namespace tare::signature
