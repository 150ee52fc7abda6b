// pace.h: when records are taken and which of them are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tare::sample {

struct PaceRequest {
  std::optional<std::uint64_t> interval_ns;  // absent: adapted during the run
  std::optional<std::uint64_t> first_ns =
      {};  // length of the first interval, if the interval is given: 1 to interval_ns
  std::uint64_t records = 3000;       // target if adapted: this many to twice as many are kept
  std::uint64_t finest_ns = 100'000;  // initial interval if adapted
};

// Sampling times are numbered in units of the finest interval. Records are taken at multiples of a
// step. The step doubles whenever there are twice as many records as wanted; records at odd
// multiples of the old step are then dropped.
class Pace {
 public:
  explicit Pace(const PaceRequest& request);

  std::uint64_t IntervalNs() const { return base_ns_ * step_; }
  bool IsAutomatic() const { return automatic_; }

  // The number of the next sampling time, and its time since the start.
  std::uint64_t Tick() const { return tick_; }
  std::uint64_t DueNs() const { return tick_ * base_ns_ - before_ns_; }

  // Whether a source that may be read at most once per `min_ns` is read at the next sampling time.
  // Its own interval is a power of two of the finest interval, so that thinning keeps its records.
  bool IsDueEach(std::uint64_t min_ns) const;

  // Call after the due record was taken, at `now_ns` since the start. Advances to the next sampling
  // time in the future; those that have passed are missed.
  void SampleTaken(std::uint64_t now_ns);
  // Call after an irregular record, such as the first and the last. It is always kept.
  void IrregularSampleTaken();

  // Sampling times of the current interval that passed without a record.
  std::uint64_t Missed() const;

  // Whether the record with this index, of all that were taken, is kept. All are if the
  // interval was given.
  bool Keeps(std::uint64_t record) const;
  // Whether some records are dropped.
  bool Thins() const { return step_ > 1; }

 private:
  std::uint64_t base_ns_;
  std::uint64_t before_ns_ = 0;  // part of the first interval that precedes the start
  bool automatic_;
  std::uint64_t records_;
  std::uint64_t step_ = 1;
  std::uint64_t tick_ = 1;
  std::uint64_t passed_ = 0;  // the latest sampling time that has passed
  std::uint64_t kept_ = 0;    // records at sampling times of the current interval
  std::vector<std::uint64_t>
      ticks_;  // of all records; 0: irregular. Empty if the interval is given
};

}  // namespace tare::sample
