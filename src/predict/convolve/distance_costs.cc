// distance_costs.cc: reads costs off curves, step by step.
#include "predict/convolve/distance_costs.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "machine/profile/changed_levels.h"
#include "machine/profile/hit_rates.h"
#include "machine/profile/memory_model.h"

namespace tare::convolve {
namespace {

using machine_profile::Access;
using machine_profile::Curve;
using machine_profile::CurveKey;
using machine_profile::CurvePoint;
using machine_profile::Pattern;
using machine_profile::Profile;

constexpr unsigned kWord = 8;
constexpr unsigned kFarStride = 64;  // in words: beyond the streams that prefetchers follow

const Curve* LoadStream(const Profile& profile) {
  return profile.FindCurve(
      {Access::kLoad, Pattern::kStrided, 1, machine_profile::WidestElement(profile)});
}

const Curve* Words(const Profile& profile, Access access, Pattern pattern, unsigned stride = 1) {
  return profile.FindCurve({access, pattern, stride, kWord});
}

// The time of an access by the size of the working set. Sizes do not fall, times may.
class Times {
 public:
  Times(const Curve& curve, double per, const PointSeconds& seconds) {
    for (const CurvePoint& point : curve.points) {
      bytes_.push_back(static_cast<double>(point.bytes));
      seconds_.push_back(seconds(point) * per);
    }
  }

  void MakeNonDecreasing() { seconds_ = NonDecreasing(seconds_); }

  double At(double bytes) const { return machine_profile::AtSize(bytes_, seconds_, bytes); }

  // The median of the points in (low, high], or the time at the middle where there are none.
  double In(double low, double high) const {
    std::vector<double> inside;
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (bytes_[i] > low && bytes_[i] <= high) inside.push_back(seconds_[i]);
    }
    if (inside.empty()) return At(std::sqrt(low * high));
    const auto middle = inside.begin() + static_cast<std::ptrdiff_t>(inside.size() / 2);
    std::ranges::nth_element(inside, middle);
    if (inside.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(inside.begin(), middle)) / 2;
  }

 private:
  std::vector<double> bytes_;
  std::vector<double> seconds_;
};

struct StepRange {
  double low;
  double high;
};

std::vector<double> InOrder(const Times& times, std::span<const StepRange> ranges) {
  std::vector<double> costs;
  for (const StepRange& range : ranges) costs.push_back(times.In(range.low, range.high));
  return NonDecreasing(costs);
}

// With all distances up to S equally often, S · time(S) is the integral of the cost up to S.
std::vector<double> AtRandom(Times times, std::span<const StepRange> ranges) {
  times.MakeNonDecreasing();
  std::vector<double> costs;
  for (const auto& [low, high] : ranges) {
    costs.push_back((high * times.At(high) - low * times.At(low)) / (high - low));
  }
  return NonDecreasing(costs);
}

}  // namespace

std::vector<double> NonDecreasing(std::span<const double> values) {
  struct Pool {
    double mean;
    std::size_t count;
  };
  std::vector<Pool> pools;
  for (const double value : values) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean > pools.back().mean) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& before = pools.back();
      const auto count = static_cast<double>(before.count + last.count);
      before.mean = (before.mean * static_cast<double>(before.count) +
                     last.mean * static_cast<double>(last.count)) /
                    count;
      before.count += last.count;
    }
  }
  std::vector<double> result;
  for (const Pool& pool : pools) result.insert(result.end(), pool.count, pool.mean);
  return result;
}

std::vector<std::uint64_t> DistanceSteps(const Profile& profile) {
  const Curve* stream = LoadStream(profile);
  const Curve* chain = Words(profile, Access::kLoad, Pattern::kChained);
  const Curve* random = Words(profile, Access::kLoad, Pattern::kRandom);
  for (const Curve* curve : {stream, chain, random}) {
    if (curve == nullptr || curve->points.size() < 2) return {};
  }
  const auto largest = static_cast<double>(std::min(
      {stream->points.back().bytes, chain->points.back().bytes, random->points.back().bytes}));
  std::vector<std::uint64_t> steps;
  double end = static_cast<double>(profile.levels.front().bytes) * std::numbers::sqrt2;
  for (; end <= largest / 2; end *= std::numbers::sqrt2) {
    const auto line = machine_profile::LineBytes(profile.levels);
    steps.push_back(static_cast<std::uint64_t>(end) / line * line);
  }
  return steps;
}

std::vector<LevelCosts> CostsByDistance(const Profile& profile,
                                        std::span<const std::uint64_t> steps, double line_bytes,
                                        const PointSeconds& seconds) {
  std::vector<StepRange> ranges;
  auto low = static_cast<double>(profile.levels.front().bytes);
  for (const std::uint64_t end : steps) {
    ranges.push_back({low, static_cast<double>(end)});
    low = ranges.back().high;
  }
  ranges.push_back({low, low * 2});
  std::vector<LevelCosts> costs(ranges.size());
  const auto set = [&](double LevelCosts::* field, const std::vector<double>& values) {
    for (std::size_t i = 0; i < costs.size(); ++i) costs[i].*field = values[i];
  };
  const double per_line = line_bytes / machine_profile::WidestElement(profile);
  set(&LevelCosts::stream, InOrder(Times(*LoadStream(profile), per_line, seconds), ranges));
  set(&LevelCosts::latency,
      InOrder(Times(*Words(profile, Access::kLoad, Pattern::kChained), 1, seconds), ranges));
  const auto random =
      AtRandom(Times(*Words(profile, Access::kLoad, Pattern::kRandom), 1, seconds), ranges);
  set(&LevelCosts::random, random);
  set(&LevelCosts::strided, random);
  if (const Curve* far = Words(profile, Access::kLoad, Pattern::kStrided, kFarStride)) {
    set(&LevelCosts::strided, InOrder(Times(*far, 1, seconds), ranges));
  }
  const Curve* store = profile.FindCurve(
      {Access::kStore, Pattern::kStrided, 1, machine_profile::WidestElement(profile)});
  const Curve* update = Words(profile, Access::kUpdate, Pattern::kRandom);
  std::vector<double> stored;
  std::vector<double> updated;
  if (store != nullptr) stored = InOrder(Times(*store, per_line, seconds), ranges);
  if (update != nullptr) updated = AtRandom(Times(*update, 2, seconds), ranges);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    LevelCosts& cost = costs[i];
    cost.random = std::max(cost.random, cost.stream);
    // A stored line is loaded and later written: what is not the load is the write.
    cost.write = store != nullptr ? std::max(stored[i] - cost.stream, 0.0) : cost.stream;
    cost.write_random = update != nullptr ? std::max(updated[i] - cost.random, 0.0) : cost.write;
  }
  return costs;
}

}  // namespace tare::convolve
