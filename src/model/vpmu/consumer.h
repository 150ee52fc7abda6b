// consumer.h: models a running program from its flow.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/core/model_event.h"
#include "model/core/processor.h"

namespace tare::vpmu {

// One process between two execve calls. `blocks` is indexed like the blocks of its recording.
struct ProcessEvents {
  std::uint64_t process = 0;
  std::uint64_t generation = 0;
  std::vector<model::EventCounts> blocks;
  bool cut_short = false;
};

// Totals at a sample since the start, limited to the region if there is one.
struct SampledTotals {
  std::uint64_t process = 0;  // the sampled process
  bool last = false;          // it has ended
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t branches = 0;  // conditional branches
  model::EventCounts events;
};

struct ConsumerPlan {
  model::Processor processor;
  std::filesystem::path directory;  // the recordings' directory, in which flows appear
  bool of_region = false;
  // Called at each sample while the program waits, and once more with `last` when it has ended,
  // even if it was never sampled. Only for the first process.
  std::function<void(const SampledTotals&)> on_sample;
};

// Reads all flows until `ended` is set and none is left, and then writes the execution counts of
// the blocks into the recordings. Each process has its own core. Must run in its own thread.
Result<std::vector<ProcessEvents>> Consume(const ConsumerPlan& plan,
                                           const std::atomic<bool>& ended);

}  // namespace tare::vpmu
