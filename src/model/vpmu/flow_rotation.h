// flow_rotation.h: reads the flows of a running program and of its children in rotation.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "binary/decode/architecture.h"
#include "format/flow_reader.h"

namespace tare::vpmu {

// Receives the flow of one process between two execve calls.
class FlowSink {
 public:
  FlowSink() = default;
  FlowSink(const FlowSink&) = delete;
  FlowSink& operator=(const FlowSink&) = delete;
  virtual ~FlowSink() = default;

  // `blocks` are all descriptions so far, starting with those passed before.
  virtual Result<void> Learn(std::span<const format::FlowBlock> blocks) = 0;
  // Processes a chunk. Calls `learn` for an unknown number; that calls Learn.
  virtual Result<void> Take(std::span<const std::uint64_t> words,
                            const std::function<Result<void>()>& learn) = 0;
  // Called now and then, also if nothing comes.
  virtual void Pause() {}
  // Before Close, if the engine counts itself: the execution counts by block number.
  virtual void TakeCounts(std::vector<tare_wire_counters>&&) {}
  // Called when no more data comes or is needed. `cut_short`: the end of the flow is missing.
  // Returns the execution counts by block number, for the recording, unless the engine counts.
  virtual std::vector<tare_wire_counters> Close(bool cut_short) = 0;
};

struct FlowOrigin {
  std::uint64_t process = 0;
  std::uint64_t generation = 0;
  decode::Architecture architecture = decode::Architecture::kX86_64;
  bool is_first = false;         // of the run
  tare_flow_filter filter = {};  // 0 entries: nothing was dropped
};
using MakeFlowSink = std::function<Result<std::unique_ptr<FlowSink>>(const FlowOrigin&)>;

// Reads all flows in the recordings' directory until `ended` is set and none is left, and then
// writes the execution counts of the blocks into the recordings, unless the engine counts itself.
// Must run in its own thread. After an error in a flow its chunks are discarded, because the
// program would wait otherwise.
Result<void> ReadFlows(const std::filesystem::path& directory, const MakeFlowSink& make_sink,
                       const std::atomic<bool>& ended);

}  // namespace tare::vpmu
