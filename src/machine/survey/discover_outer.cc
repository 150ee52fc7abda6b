// discover_outer.cc: timing single loads and classifying them by the level that they hit.
#include "machine/survey/discover_outer.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/stop.h"
#include "machine/clock/clock.h"
#include "machine/profile/origin.h"

namespace tare::survey {
namespace {

// A clock with longer ticks cannot distinguish the second cache from the levels beyond it.
constexpr double kLongestTick = 2.5e-9;
constexpr std::uint64_t kOuterLoads = 3000;
constexpr std::uint64_t kMaxOuterWarmLoads = 400'000;
constexpr std::uint64_t kPoolBytes = 32 << 20;
// Disturbances only evict lines, so the highest counts are used.
constexpr double kUndisturbed = 0.9;
// A level that is not much slower than the previous one counts as the same level.
constexpr double kMinRatio = 1.8;
constexpr double kFastest = 0.2;
constexpr double kSecondShare = 0.4;
constexpr double kThirdShare = 0.25;

using Ticks = std::vector<std::uint32_t>;

double TickQuantile(const Ticks& ticks, double q) {
  return SampleQuantile(std::vector<double>(ticks.begin(), ticks.end()), q);
}

Ticks Above(const Ticks& ticks, double limit) {
  Ticks above;
  for (const std::uint32_t one : ticks) {
    if (one > limit) above.push_back(one);
  }
  return above;
}

Ticks UpTo(const Ticks& ticks, double limit) {
  Ticks below;
  for (const std::uint32_t one : ticks) {
    if (one <= limit) below.push_back(one);
  }
  return below;
}

std::vector<Residency> SetsOf(std::span<const CostSamples> samples) {
  std::vector<Residency> sets;
  for (const CostSamples& one : samples) sets.push_back({one.size, one.seconds});
  return sets;
}

// Loads all lines in sequence: on large sets the random walk would miss most of them.
void Touch(std::span<const std::byte> memory) {
  std::byte all{0};
  for (std::size_t at = 0; at < memory.size(); at += kSlotBytes) {
    all |= *static_cast<const volatile std::byte*>(&memory[at]);
  }
  CHECK(all == std::byte{0});
}

class Outer {
 public:
  Outer(Bench& bench, std::span<std::byte> memory, const FirstCache& first, double cycle,
        bool quick, clock::ClockId clock, double tick)
      : bench_(bench),
        memory_(memory),
        first_(first),
        cycle_(cycle),
        quick_(quick),
        clock_(clock),
        tick_(tick) {}

  Result<OuterLevels> Find() {
    SetLimit();
    OuterLevels levels;
    TRY(levels.second, Second());
    TRY(const double farthest, Farthest());
    if (!levels.second) {
      levels.reason = "all tested working sets fit, or other work on the machine hid the limit";
      return levels;
    }
    const double before = LatencyTicks(levels.second->latency.Value());
    TRY(const Ticks behind, TicksOn(static_cast<std::uint64_t>(1.5 * levels.second->bytes)));
    const Ticks beyond = Above(behind, limit_);
    // A low quantile: where others occupy most of a cache, most loads miss it.
    const double third = beyond.empty() ? farthest : TickQuantile(beyond, kFastest);
    if (farthest - near_ < kMinRatio * (third - near_) || third <= before) {
      levels.reason = "loads that miss the second cache take as long as memory";
      levels.memory = LatencyOf(farthest);
      return levels;
    }
    TRY(levels.third, Third(levels.second->bytes, beyond, third, farthest));
    if (!levels.third)
      levels.reason = "all tested working sets fit, or other work on the machine hid the limit";
    levels.memory = LatencyOf(farthest);
    return levels;
  }

 private:
  double LatencyTicks(double seconds) const { return near_ + (seconds - cycle_) / tick_; }

  // The latency of loads that take `ticks`, with an error of one tick.
  Measured LatencyOf(double ticks) const {
    const double seconds = cycle_ + (ticks - near_) * tick_;
    return Between(seconds, seconds - tick_, seconds + tick_, machine_profile::kConfidence);
  }

  Grid Dense(std::uint64_t bytes) const { return {bytes / kSlotBytes, kSlotBytes}; }

  // Measures the ticks of a hit in the first cache, and the maximum of a hit in the second.
  void SetLimit() {
    const auto small = static_cast<std::uint64_t>(first_.bytes / 4);
    bench_.walk.Over(memory_.data(), Dense(small), kOuterLoads);
    near_ = TickQuantile(bench_.walk.Timed(memory_.data(), Dense(small), kOuterLoads, clock_), 0.5);
    const auto large = static_cast<std::uint64_t>(2 * first_.bytes);
    std::vector<double> max;
    for (int i = 0; i < 9; ++i) {
      bench_.walk.Over(memory_.data(), Dense(large), 10 * large / kSlotBytes);
      max.push_back(
          TickQuantile(bench_.walk.Timed(memory_.data(), Dense(large), kOuterLoads, clock_), 0.9));
    }
    limit_ = SampleQuantile(max, 0.5) + std::max(2.0, (cycle_ + first_.rise) / tick_);
  }

  Result<Ticks> TicksOn(std::uint64_t bytes) {
    Ticks all;
    for (int i = 0; i < 6; ++i) {
      if (!bench_.progress(std::min(1.0, bench_.done), "outer caches")) return Stopped();
      bench_.walk.Over(memory_.data(), Dense(bytes),
                       std::min(kMaxOuterWarmLoads, 4 * bytes / kSlotBytes));
      const Ticks some = bench_.walk.Timed(memory_.data(), Dense(bytes), kOuterLoads, clock_);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  Result<double> Farthest() {
    TRY(const Ticks ticks, TicksOn(memory_.size()));
    return TickQuantile(ticks, 0.5);
  }

  // Bytes of the blocks whose loads are faster than the limit.
  double Resident(std::span<const std::byte* const> blocks) {
    const std::uint64_t places = blocks.size() * (kBlockBytes / kSlotBytes);
    bench_.walk.Over(blocks, std::min(kMaxOuterWarmLoads, 10 * places));
    std::vector<double> parts;
    for (int i = 0; i < (quick_ ? 6 : 12); ++i) {
      bench_.walk.Over(blocks, std::min(kMaxOuterWarmLoads, places / 2));
      const Ticks ticks = bench_.walk.Timed(blocks, kOuterLoads, clock_);
      parts.push_back(1 - static_cast<double>(Above(ticks, limit_).size()) / kOuterLoads);
    }
    return SampleQuantile(parts, kUndisturbed) * static_cast<double>(blocks.size() * kBlockBytes);
  }

  Result<std::optional<OuterCache>> Second() {
    const auto pool = memory_.first(std::min(memory_.size(), kPoolBytes));
    Placement placement(pool);
    const auto sizes = Ladder(static_cast<std::uint64_t>(2 * first_.bytes), pool.size() / 4,
                              quick_ ? 4 : 6, kBlockBytes);
    if (sizes.empty()) return std::nullopt;
    double overflown = 0;
    const auto resident = [&](std::uint64_t bytes) {
      if (bytes == sizes.front()) {
        // Each pass decides anew, so that one disturbed sample spoils one pass only.
        overflown = 0;
        placement.Shuffle(bench_.generator);
      }
      // Sets far larger than the cache only cost time.
      if (overflown > 0 && static_cast<double>(bytes) > 4 * overflown) return 0.0;
      const double near = Resident(placement.Front(bytes));
      const auto whole = static_cast<double>(bytes);
      if (overflown == 0 && near < 0.7 * whole) overflown = whole;
      return near;
    };
    TRY(const auto samples,
        Sweep(bench_, sizes, quick_ ? 3 : 12, kSecondShare, "second cache", resident));
    const std::vector<Residency> sets = SetsOf(samples);
    const auto found = CapacityOf(sets, bench_.generator);
    if (!found) return std::nullopt;
    OuterCache cache;
    cache.found = *found;
    cache.bytes = BuiltSize(found->Value());
    if (!quick_) cache.ways = WaysOf(sets, cache.bytes, kBlockBytes, bench_.generator);
    const double latency = cycle_ + first_.rise;
    cache.latency = Between(latency, latency - 0.02 * latency, latency + 0.02 * latency,
                            machine_profile::kConfidence);
    return cache;
  }

  Result<std::optional<OuterCache>> Third(double second, const Ticks& beyond, double third,
                                          double farthest) {
    const double limit = near_ + std::sqrt((third - near_) * (farthest - near_));
    const auto sizes = Ladder(static_cast<std::uint64_t>(1.5 * second), memory_.size(),
                              quick_ ? 2 : 3, kBlockBytes);
    TRY(const auto samples,
        Sweep(bench_, sizes, quick_ ? 3 : 6, kThirdShare, "third cache", [&](std::uint64_t bytes) {
          Touch(memory_.first(bytes));
          bench_.walk.Over(memory_.data(), Dense(bytes),
                           std::min(kMaxOuterWarmLoads, 3 * bytes / kSlotBytes));
          const Ticks ticks = bench_.walk.Timed(memory_.data(), Dense(bytes), kOuterLoads, clock_);
          const double far = static_cast<double>(Above(ticks, limit).size()) / kOuterLoads;
          return (1 - far) * static_cast<double>(bytes);
        }));
    const std::vector<Residency> sets = SetsOf(samples);
    const auto found = CapacityOf(sets, bench_.generator);
    if (!found) return std::nullopt;
    OuterCache cache;
    cache.found = *found;
    cache.bytes = found->Value();
    cache.latency = LatencyOf(TickQuantile(UpTo(beyond, limit), 0.5));
    cache.doubt = "other cores may share it: this is the part that was available";
    return cache;
  }

  Bench& bench_;
  std::span<std::byte> memory_;
  const FirstCache& first_;
  double cycle_;
  bool quick_;
  clock::ClockId clock_;
  double tick_;
  double near_ = 0;   // ticks of a hit in the first cache
  double limit_ = 0;  // ticks; slower loads miss the second cache
};

}  // namespace

Result<std::optional<OuterLevels>> CountOuterLevels(Bench& bench, std::span<std::byte> memory,
                                                    const FirstCache& first, double cycle,
                                                    bool quick) {
  const clock::ClockId clock = clock::FinestClock();
  TRY(const auto period, clock::MeasureTickPeriod(clock::Row(clock), machine_profile::kConfidence));
  if (!clock::Row(clock).ordered || period.Value() > kLongestTick) return std::nullopt;
  return Outer(bench, memory, first, cycle, quick, clock, period.Value()).Find();
}

}  // namespace tare::survey
