// timer_pace.h: the interval of a timer inside the program, found as Pace finds its own.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/sample/pace.h"

namespace tare::sample {

// The timer begins when it likes, and follows a new interval some records later. So records are
// chosen by their times.
class TimerPace {
 public:
  explicit TimerPace(const PaceRequest& request);

  std::uint64_t IntervalNs() const { return interval_ns_; }

  // Times since the start, never falling.
  void Took(std::uint64_t time_ns);
  // A record that is not the timer's, such as the first and the last: kept always.
  void TookApart();

  // For each record, in the order in which they were taken, whether it is one of those that lie an
  // interval apart, as nearly as can be. Empty: all are.
  std::vector<bool> Kept() const;

  // Intervals of the present length without a record.
  std::uint64_t Missed() const;

 private:
  bool automatic_;
  std::uint64_t records_;
  std::uint64_t interval_ns_;
  bool thins_ = false;
  std::uint64_t taken_ = 0;
  std::uint64_t first_ns_ = 0;
  std::uint64_t last_ns_ = 0;
  static constexpr std::uint64_t kApart = UINT64_MAX;
  std::vector<std::uint64_t> times_;  // of all records; empty when the interval is given
};

}  // namespace tare::sample
