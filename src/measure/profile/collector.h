// collector.h: a thread that takes samples out of the kernel's rings while a program runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/result.h"
#include "measure/profile/checkpoints.h"
#include "measure/profile/sample_store.h"
#include "measure/profile/sampling_events.h"

namespace tare::profile {

class Collector {
 public:
  // `store` must outlive the collector and belongs to its thread until Stop().
  // `take_part` gets what was added to it, from time to time; it may be empty.
  static Result<std::unique_ptr<Collector>> Begin(SamplingEvents events, SampleStore& store,
                                                  TakePart take_part = {});
  ~Collector() { Stop(); }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // Stops sampling and takes what is left.
  void Stop();

  const Granted& Facts() const { return events_.Facts(); }
  // Valid after Stop().
  std::uint64_t CpuNs() const { return cpu_ns_; }
  SampledTime Time() const { return time_; }

 private:
  Collector(SamplingEvents events, SampleStore& store, TakePart take_part)
      : events_(std::move(events)), store_(store), checkpoints_(std::move(take_part)) {}

  void Run();
  // Records of one processor are in order of time, those of several are not. A record is older
  // than all later ones if its time is before the newest of the round before.
  void TakeRound(bool last);

  SamplingEvents events_;
  SampleStore& store_;
  Checkpoints checkpoints_;
  std::vector<PerfRecord> waiting_;
  std::uint64_t newest_ns_ = 0;
  std::atomic<bool> stop_{false};
  std::uint64_t cpu_ns_ = 0;
  SampledTime time_;
  std::thread thread_;
};

}  // namespace tare::profile
