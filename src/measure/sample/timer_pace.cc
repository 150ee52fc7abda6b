// timer_pace.cc: selects records by their times.
#include "measure/sample/timer_pace.h"

#include <algorithm>
#include <optional>

#include "base/check.h"

namespace tare::sample {
namespace {

std::uint64_t Distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

TimerPace::TimerPace(const PaceRequest& request)
    : automatic_(!request.interval_ns),
      records_(request.records),
      interval_ns_(request.interval_ns.value_or(request.finest_ns)) {
  CHECK(interval_ns_ > 0 && records_ > 0);
}

void TimerPace::SampleTaken(std::uint64_t time_ns) {
  if (taken_++ == 0) first_ns_ = time_ns;
  last_ns_ = time_ns;
  if (!automatic_) return;
  times_.push_back(time_ns);
  while ((last_ns_ - first_ns_) / interval_ns_ >= 2 * records_) {
    interval_ns_ *= 2;
    thins_ = true;
  }
}

void TimerPace::IrregularSampleTaken() {
  if (automatic_) times_.push_back(kIrregular);
}

std::vector<bool> TimerPace::Kept() const {
  if (!thins_) return {};
  std::vector<bool> kept(times_.size(), false);
  std::optional<std::size_t> candidate;  // the nearest one so far to the next wanted time
  std::optional<std::uint64_t> wanted_ns;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const std::uint64_t time = times_[i];
    if (time == kIrregular) {
      kept[i] = true;
      continue;
    }
    const bool in_time = candidate && times_[*candidate] + interval_ns_ / 2 >= *wanted_ns;
    if (in_time && Distance(time, *wanted_ns) > Distance(times_[*candidate], *wanted_ns)) {
      kept[*candidate] = true;
      wanted_ns = times_[*candidate] + interval_ns_;
    }
    if (!wanted_ns) {
      kept[i] = true;
      wanted_ns = time + interval_ns_;
      continue;
    }
    candidate = i;
  }
  // Drops the last record if it came too early for the next wanted time.
  if (candidate && wanted_ns && times_[*candidate] + interval_ns_ / 2 >= *wanted_ns) {
    kept[*candidate] = true;
  }
  return kept;
}

std::uint64_t TimerPace::Missed() const {
  if (taken_ == 0) return 0;
  const std::uint64_t wanted = (last_ns_ - first_ns_ + interval_ns_ / 2) / interval_ns_ + 1;
  std::uint64_t kept = taken_;
  if (thins_) {
    kept = 0;
    const std::vector<bool> all = Kept();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] && times_[i] != kIrregular) ++kept;
    }
  }
  return wanted > kept ? wanted - kept : 0;
}

}  // namespace tare::sample
