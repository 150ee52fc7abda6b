// curves.cc: rounds over all points, refined around steps.
#include "machine/survey/curves.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/stop.h"
#include "machine/microbenchmark/memory_loop.h"
#include "machine/microbenchmark/ring.h"
#include "machine/survey/timing.h"
#include "stats/random.h"
#include "stats/sample.h"

namespace tare::survey {
namespace {

using machine_profile::CurveKey;
using machine_profile::Pattern;
using microbenchmark::Buffer;
using microbenchmark::MemoryLoop;

// Points are added around steps once all points have that many samples: the first samples alone are
// too easily disturbed.
constexpr std::size_t kRefineAfter[] = {2, 1};
// Neighbours with a larger relative difference have a step between them.
constexpr double kStep = 0.12;

// Larger sets do not fit into a private cache of the core.
constexpr std::uint64_t kNearSet = 2 << 20;
constexpr double kWarmSeconds = 10e-3;
constexpr double kQuickWarmSeconds = 4e-3;
constexpr std::uint64_t kPageBytes = 4096;
// The cycle of a round starts at a random page within it.
constexpr std::uint64_t kSlackBytes = 32 << 20;
// Larger sets take long to traverse, so they get fewer sizes.
constexpr std::uint64_t kLargeSet = 64 << 20;

struct Target {
  CurveSamples* curve;
  PointSamples* point;
};

class CurveSurvey {
 public:
  CurveSurvey(const CurveConfig& config, std::vector<CurveSamples>& curves,
              const Progress& progress)
      : config_(config), curves_(curves), progress_(progress), begin_(Now()) {}

  Result<void> Run(const std::function<Result<void>()>& save) {
    Prepare();
    for (std::size_t round = 0; round < Rounds() * 2; ++round) {
      for (CurveSamples& curve : curves_) Refine(curve);
      const auto targets = Wanting();
      if (targets.empty()) return {};
      if (EnoughForAll() && Now() - begin_ > config_.budget_seconds) return {};
      TRY_VOID(Round(targets, round));
      TRY_VOID(save());
    }
    return {};
  }

 private:
  std::size_t Rounds() const { return config_.quick ? kMinSamples : 9; }

  SliceConfig Slices() const { return config_.quick ? SliceConfig{2e-4, 3} : SliceConfig{4e-4, 5}; }

  void Prepare() {
    for (const CurveKey& key : config_.keys) {
      const auto found = std::ranges::find(curves_, key, &CurveSamples::key);
      CurveSamples& curve = found != curves_.end() ? *found : curves_.emplace_back(key);
      if (!curve.points.empty()) continue;
      const std::uint64_t min = std::max(config_.range.min, microbenchmark::MinBytes(key));
      if (min > config_.range.max) continue;
      const std::uint64_t middle = std::clamp(kLargeSet, min, config_.range.max);
      Add(curve, CoarseSizes({min, middle}, config_.quick ? 1 : 2));
      Add(curve, CoarseSizes({middle, config_.range.max}, 1));
    }
  }

  static void Add(CurveSamples& curve, std::span<const std::uint64_t> sizes) {
    for (const std::uint64_t bytes : sizes) {
      if (std::ranges::find(curve.points, bytes, &PointSamples::bytes) == curve.points.end()) {
        curve.points.push_back({bytes, {}});
      }
    }
    std::ranges::sort(curve.points, {}, &PointSamples::bytes);
  }

  static void Refine(CurveSamples& curve) {
    if (curve.refined >= std::size(kRefineAfter)) return;
    std::vector<SizeRate> known;
    for (const PointSamples& point : curve.points) {
      if (point.samples.values.size() < kRefineAfter[curve.refined]) return;
      std::vector<double> values = point.samples.values;
      known.push_back({point.bytes, stats::MedianOf(values)});
    }
    Add(curve, SizesAroundSteps(known, kStep));
    ++curve.refined;
  }

  bool Wants(const PointSamples& point) const {
    return point.samples.values.size() < Rounds() || !Settled(point.samples);
  }

  std::vector<Target> Wanting() {
    std::vector<Target> targets;
    for (CurveSamples& curve : curves_) {
      for (PointSamples& point : curve.points) {
        if (Wants(point)) targets.push_back({&curve, &point});
      }
    }
    return targets;
  }

  bool EnoughForAll() const {
    return std::ranges::all_of(curves_, [](const CurveSamples& curve) {
      return std::ranges::all_of(curve.points, [](const PointSamples& point) {
        return point.samples.values.size() >= kMinSamples;
      });
    });
  }

  Result<void> Round(std::vector<Target> targets, std::size_t round) {
    stats::Generator generator(config_.seed + round * 0x9e3779b97f4a7c15u);
    for (std::size_t i = targets.size(); i > 1; --i) {
      std::swap(targets[i - 1], targets[generator.Below(i)]);
    }
    const auto chained = std::partition(targets.begin(), targets.end(), [](const Target& target) {
      return target.curve->key.pattern != Pattern::kChained;
    });
    std::sort(chained, targets.end(),
              [](const Target& a, const Target& b) { return a.point->bytes < b.point->bytes; });
    TRY(const Buffer buffer, Buffer::Make(config_.range.max + kSlackBytes, config_.pages));
    memory_ = buffer.bytes();
    done_ = 0;
    wanted_ = targets.size();
    round_ = round;
    TRY_VOID(MeasureFree({targets.begin(), chained}, generator));
    return MeasureChained({chained, targets.end()}, generator);
  }

  // A different place each time, so that repetitions also vary the pages.
  Result<void> MeasureFree(std::span<const Target> targets, stats::Generator& generator) {
    for (const Target& target : targets) {
      const std::uint64_t places = (memory_.size() - target.point->bytes) / kPageBytes + 1;
      const auto set = memory_.subspan(generator.Below(places) * kPageBytes, target.point->bytes);
      TRY_VOID(Measure(target, set));
    }
    return {};
  }

  Result<void> MeasureChained(std::span<const Target> targets, stats::Generator& generator) {
    if (targets.empty()) return {};
    const auto memory = memory_.subspan(generator.Below(kSlackBytes / kPageBytes) * kPageBytes);
    microbenchmark::Ring ring(memory, config_.line_bytes, generator.Next());
    for (const Target& target : targets) {
      ring.GrowTo(target.point->bytes / config_.line_bytes);
      TRY_VOID(Measure(target, memory.first(target.point->bytes)));
    }
    if (round_ == 0) CHECK(ring.IsOneCycle());
    return {};
  }

  Result<void> Measure(const Target& target, std::span<std::byte> set) {
    const CurveKey& key = target.curve->key;
    if (!progress_(Fraction(),
                   fmt::format("round {}: {}", round_ + 1, machine_profile::CurveName(key)))) {
      return Stopped();
    }
    TRY(auto loop, MemoryLoop::Over(key, set, config_.line_bytes));
    auto& values = target.point->samples.values;
    Warm(loop, key, target.point->bytes);
    const double guess = values.empty() ? 0 : values.back();
    values.push_back(
        SampleRate([&](std::uint64_t accesses) { return loop.Run(accesses); }, Slices(), guess));
    ++done_;
    return {};
  }

  // Stores to memory reach their sustained rate only after several passes over a set.
  void Warm(MemoryLoop& loop, const CurveKey& key, std::uint64_t bytes) const {
    const double begin = Now();
    const std::uint64_t wanted = WarmAccesses(key, bytes);
    const double min = bytes <= kNearSet ? 0 : config_.quick ? kQuickWarmSeconds : kWarmSeconds;
    std::uint64_t done = 0;
    while (true) {
      const double passed = Now() - begin;
      if (done >= wanted && passed >= min) return;
      if (passed >= (config_.quick ? 2 : 6) * kWarmSeconds) return;
      done += loop.Run(std::min<std::uint64_t>(std::max<std::uint64_t>(wanted, 1), 65536));
    }
  }

  // One pass over all lines of the set, which fills the caches. A set that is traversed cyclically
  // beyond all caches leaves nothing in them.
  std::uint64_t WarmAccesses(const CurveKey& key, std::uint64_t bytes) const {
    if (key.pattern != Pattern::kRandom && bytes > 2 * config_.last_cache_bytes) return 4096;
    const std::uint64_t apart =
        key.pattern == Pattern::kStrided
            ? std::min<std::uint64_t>(std::uint64_t{key.stride} * key.element_bytes,
                                      config_.line_bytes)
            : config_.line_bytes;
    return bytes / apart * key.AccessesPerElement();
  }

  double Fraction() const {
    const double within = static_cast<double>(done_) / static_cast<double>(wanted_);
    return std::min(0.99,
                    (static_cast<double>(round_) + within) / static_cast<double>(Rounds() + 1));
  }

  const CurveConfig& config_;
  std::vector<CurveSamples>& curves_;
  const Progress& progress_;
  std::span<std::byte> memory_;
  double begin_;
  std::size_t round_ = 0;
  std::size_t done_ = 0;
  std::size_t wanted_ = 1;
};

}  // namespace

Result<void> MeasureCurves(const CurveConfig& config, std::vector<CurveSamples>& curves,
                           const std::function<Result<void>()>& save, const Progress& progress) {
  return CurveSurvey(config, curves, progress).Run(save);
}

}  // namespace tare::survey
