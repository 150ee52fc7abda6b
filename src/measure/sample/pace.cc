// pace.cc: adapts the sampling interval by doubling it.
#include "measure/sample/pace.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace tare::sample {

Pace::Pace(const PaceRequest& request)
    : base_ns_(request.interval_ns.value_or(request.finest_ns)),
      automatic_(!request.interval_ns),
      records_(request.records) {
  CHECK(base_ns_ > 0 && records_ > 0);
  if (!request.first_ns) return;
  CHECK(!automatic_ && *request.first_ns > 0 && *request.first_ns <= base_ns_);
  before_ns_ = base_ns_ - *request.first_ns;
}

bool Pace::IsDueEach(std::uint64_t min_ns) const {
  const std::uint64_t min_moments = (min_ns + base_ns_ - 1) / base_ns_;
  return moment_ % std::bit_ceil(std::max<std::uint64_t>(min_moments, 1)) == 0;
}

void Pace::Took(std::uint64_t now_ns) {
  passed_ = std::max(moment_, (now_ns + before_ns_) / base_ns_);
  ++kept_;
  if (automatic_) moments_.push_back(moment_);
  if (automatic_ && kept_ >= 2 * records_) {
    step_ *= 2;
    kept_ = static_cast<std::uint64_t>(std::ranges::count_if(
        moments_, [this](std::uint64_t moment) { return moment != 0 && moment % step_ == 0; }));
  }
  moment_ = (passed_ / step_ + 1) * step_;
}

void Pace::TookApart() {
  if (automatic_) moments_.push_back(0);
}

std::uint64_t Pace::Missed() const { return passed_ / step_ - kept_; }

bool Pace::Keeps(std::uint64_t record) const {
  if (!automatic_) return true;
  CHECK(record < moments_.size());
  return moments_[record] % step_ == 0;
}

}  // namespace tare::sample
