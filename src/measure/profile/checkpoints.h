// checkpoints.h: hands on what was sampled while sampling goes on, for a file that survives a
// killed profiler.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "measure/profile/sample_store.h"
#include "measure/profile/sampling_events.h"

namespace tare::profile {

// What was sampled since the last call, and the processor time of all that was sampled. Called on a
// thread of its own, once at a time.
using TakePart = std::function<void(StoredPart part, SampledTime time)>;

// A part is due four times a second. One that takes longer than that to take in delays the next.
class Checkpoints {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Checkpoints(TakePart take) : take_(std::move(take)), due_(Clock::now() + kInterval) {}
  ~Checkpoints() { Finish(); }
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  bool IsDue() const { return take_ && !busy_ && Clock::now() >= due_; }
  // Hands on what came since the last call.
  void Take(const SampleStore& store, SampledTime time);
  // Waits for the part that is being taken in.
  void Finish();

 private:
  static constexpr auto kInterval = std::chrono::milliseconds(250);

  TakePart take_;
  Clock::time_point due_;
  StoreMarks marks_;
  std::atomic<bool> busy_{false};
  std::atomic<Clock::duration> duration_{};  // of the last part
  std::thread thread_;
};

}  // namespace tare::profile
