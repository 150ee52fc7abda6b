// pace.h: at which moments records are taken, and which of them are kept in the end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tare::sample {

struct PaceRequest {
  std::optional<std::uint64_t> interval_ns;  // not given: found on the way
  std::optional<std::uint64_t> first_ns =
      {};                             // of a given interval, the first one's part: 1 to all
  std::uint64_t records = 3000;       // wanted then: so many to twice as many are left
  std::uint64_t finest_ns = 100'000;  // where that begins
};

// Moments are numbered by the finest interval. Records stand at multiples of a step, which doubles
// each time when there are twice as many records as wanted; those that stand at odd multiples of
// the old step are then no longer kept.
class Pace {
 public:
  explicit Pace(const PaceRequest& request);

  std::uint64_t IntervalNs() const { return base_ns_ * step_; }
  bool IsAutomatic() const { return automatic_; }

  // The number and the time since the start of the moment that is next due.
  std::uint64_t Moment() const { return moment_; }
  std::uint64_t DueNs() const { return moment_ * base_ns_ - before_ns_; }

  // Whether what may be read once in `min_ns` is read at the moment that is next due. Its own
  // interval is a power of two of moments, so that thinning keeps the records that have it.
  bool IsDueEach(std::uint64_t min_ns) const;

  // A record was taken at the moment that was due, and now it is `now_ns` after the start. Moves to
  // the first moment that lies ahead; those that have passed are missed.
  void Took(std::uint64_t now_ns);
  // A record that stands at no moment, such as the first and the last: kept always.
  void TookApart();

  // Moments of the present interval that have passed without a record.
  std::uint64_t Missed() const;

  // Whether the record at this place, of all that were taken, belongs to the regular ones. All do
  // when the interval was given.
  bool Keeps(std::uint64_t record) const;
  // Some do not.
  bool Thins() const { return step_ > 1; }

 private:
  std::uint64_t base_ns_;
  std::uint64_t before_ns_ = 0;  // so much of the first interval lies before the start
  bool automatic_;
  std::uint64_t records_;
  std::uint64_t step_ = 1;
  std::uint64_t moment_ = 1;
  std::uint64_t passed_ = 0;  // the latest moment that has passed
  std::uint64_t kept_ = 0;    // records at moments of the present interval
  std::vector<std::uint64_t>
      moments_;  // of all records; 0: apart. Empty when the interval is given
};

}  // namespace tare::sample
