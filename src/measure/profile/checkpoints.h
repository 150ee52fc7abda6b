// checkpoints.h: hands on what was sampled so far while sampling goes on, for a file that survives
// a killed profiler.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "measure/profile/sample_store.h"
#include "measure/profile/sampling_events.h"

namespace tare::profile {

// Called on a thread of its own.
using TakeSnapshot = std::function<void(SampleStore store, SampledTime time)>;

// The first snapshot is due after a quarter of a second, each further one after twice the time, and
// after 20 times the duration of the one before, so that snapshots take at most a twentieth of a
// core.
class Checkpoints {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Checkpoints(TakeSnapshot take) : take_(std::move(take)), due_(Clock::now() + wait_) {}
  ~Checkpoints() { Finish(); }
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  bool IsDue() const { return take_ && !busy_ && Clock::now() >= due_; }
  void Take(SampleStore store, SampledTime time);
  // Waits for the snapshot that is being taken.
  void Finish();

 private:
  TakeSnapshot take_;
  Clock::duration wait_ = std::chrono::milliseconds(250);
  Clock::time_point due_;
  std::atomic<bool> busy_{false};
  std::atomic<Clock::duration> duration_{};  // of the last snapshot
  std::thread thread_;
};

}  // namespace tare::profile
