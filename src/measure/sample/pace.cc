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
  const std::uint64_t min_ticks = (min_ns + base_ns_ - 1) / base_ns_;
  return tick_ % std::bit_ceil(std::max<std::uint64_t>(min_ticks, 1)) == 0;
}

void Pace::SampleTaken(std::uint64_t now_ns) {
  passed_ = std::max(tick_, (now_ns + before_ns_) / base_ns_);
  ++kept_;
  if (automatic_) ticks_.push_back(tick_);
  if (automatic_ && kept_ >= 2 * records_) {
    step_ *= 2;
    kept_ = static_cast<std::uint64_t>(std::ranges::count_if(
        ticks_, [this](std::uint64_t tick) { return tick != 0 && tick % step_ == 0; }));
  }
  tick_ = (passed_ / step_ + 1) * step_;
}

void Pace::IrregularSampleTaken() {
  if (automatic_) ticks_.push_back(0);
}

std::uint64_t Pace::Missed() const { return passed_ / step_ - kept_; }

bool Pace::Keeps(std::uint64_t record) const {
  if (!automatic_) return true;
  CHECK(record < ticks_.size());
  return ticks_[record] % step_ == 0;
}

}  // namespace tare::sample
