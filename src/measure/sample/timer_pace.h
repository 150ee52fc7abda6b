// timer_pace.h: adapts the interval of a timer inside the program, as Pace does for the observer.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/sample/pace.h"

namespace tare::sample {

// The timer's phase is arbitrary and it applies a new interval some records late, so records are
// selected by their times.
class TimerPace {
 public:
  explicit TimerPace(const PaceRequest& request);

  std::uint64_t IntervalNs() const { return interval_ns_; }

  // `time_ns` since the start, never decreasing.
  void SampleTaken(std::uint64_t time_ns);
  // Call after a record that is not the timer's, such as the first and the last. It is always kept.
  void IrregularSampleTaken();

  // For each record, in the order of taking, whether it belongs to the series that is closest to
  // one record per interval. Empty: all records do.
  std::vector<bool> Kept() const;

  // Intervals of the current length without a record.
  std::uint64_t Missed() const;

 private:
  bool automatic_;
  std::uint64_t records_;
  std::uint64_t interval_ns_;
  bool thins_ = false;
  std::uint64_t taken_ = 0;
  std::uint64_t first_ns_ = 0;
  std::uint64_t last_ns_ = 0;
  static constexpr std::uint64_t kIrregular = UINT64_MAX;
  std::vector<std::uint64_t> times_;  // of all records; empty if the interval is given
};

}  // namespace tare::sample
