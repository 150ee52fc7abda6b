// consumer.h: the flow of a running program, told to the models of a processor.
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

// One process between two execve calls. Elements are numbered as the blocks of its recording.
struct ProcessEvents {
  std::uint64_t process = 0;
  std::uint64_t generation = 0;
  std::vector<model::EventCounts> blocks;
  bool cut_short = false;
};

// At a sample: totals since the start, of the region where there is one.
struct SampledTotals {
  std::uint64_t process = 0;  // that was sampled
  bool last = false;          // it has ended
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t branches = 0;  // conditional
  model::EventCounts events;
};

struct ConsumerPlan {
  model::Processor processor;
  std::filesystem::path directory;  // of the recordings; flows appear in it
  bool of_region = false;
  // Called while the program waits, and once more, with `last`, when it has ended, whether or not
  // it was sampled before. Only of the first process.
  std::function<void(const SampledTotals&)> on_sample;
};

// Takes every flow until `ended` is set and nothing is left; then writes how often each block ran
// into the recordings. Each process has a core of its own. In a thread of its own.
Result<std::vector<ProcessEvents>> Consume(const ConsumerPlan& plan,
                                           const std::atomic<bool>& ended);

}  // namespace tare::vpmu
