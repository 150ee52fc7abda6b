// memory_model_curves.cc: curves computed from models.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/profile/hit_rates.h"
#include "machine/profile/memory_model.h"
#include "machine/profile/tlb_model.h"

namespace tare::machine_profile {
namespace {

constexpr double kDoubtfulError = 0.25;

Measured RateOf(double seconds, double error) {
  const double rate = 1 / seconds;
  const Measured computed = error > 0
                                ? Between(rate, rate / (1 + error), rate * (1 + error), kConfidence)
                                : Unbounded(rate);
  const Measured projected = WithOrigin(Origin::kProjected, computed);
  if (!(error > kDoubtfulError)) return projected;
  return Doubtful(
      projected,
      fmt::format("the error of the model that computes it is up to {:.0f} %", error * 100));
}

}  // namespace

std::vector<std::uint64_t> ModelSizes(std::span<const Level> levels) {
  constexpr double kMin = 2048;
  constexpr double kMaxWithoutCaches = 0x1p26;
  constexpr double kMax = 0x1p53;
  constexpr double kGrain = 64;
  const double largest = levels.size() < 2
                             ? kMaxWithoutCaches
                             : 4 * static_cast<double>(levels[levels.size() - 2].bytes);
  std::vector<std::uint64_t> sizes;
  for (int step = 0;; ++step) {
    const double size = std::round(kMin * std::exp2(step / 4.0) / kGrain) * kGrain;
    if (size > std::min(largest, kMax) && sizes.size() > 0) return sizes;
    sizes.push_back(static_cast<std::uint64_t>(size));
  }
}

Curve CurveFromModel(const CurveModel& model, std::span<const Level> levels,
                     std::span<const std::uint64_t> sizes, double error) {
  Curve curve{model.key, {}};
  for (const std::uint64_t bytes : sizes) {
    const double seconds = model.Seconds(levels, bytes);
    if (!(seconds > 0) || !std::isfinite(1 / seconds)) continue;
    curve.points.push_back({bytes, RateOf(seconds, error), HitRates(levels, model.key, bytes)});
  }
  return curve;
}

std::vector<CurveKey> UsualCurves(unsigned widest_bytes) {
  constexpr unsigned kScalar = 8;
  constexpr unsigned kMaxStride = 64;
  std::vector<CurveKey> keys;
  for (const Access access : {Access::kLoad, Access::kStore, Access::kUpdate}) {
    for (unsigned stride = 1; stride <= kMaxStride; stride *= 2) {
      keys.push_back({access, Pattern::kStrided, stride, kScalar});
    }
    keys.push_back({access, Pattern::kRandom, 1, kScalar});
    if (widest_bytes <= kScalar) continue;
    keys.push_back({access, Pattern::kStrided, 1, widest_bytes});
    keys.push_back({access, Pattern::kRandom, 1, widest_bytes});
  }
  keys.push_back({Access::kLoad, Pattern::kChained, 1, kScalar});
  return keys;
}

Profile WithCurves(Profile profile) {
  const unsigned widest = WidestElement(profile);
  const auto sizes = ModelSizes(profile.levels);
  for (const CurveKey& key : UsualCurves(widest)) {
    if (profile.FindCurve(key) != nullptr) continue;
    const auto model = ModelFromLevels(profile.levels, key, widest);
    if (!model) continue;
    Curve curve = CurveFromModel(*model, profile.levels, sizes, 0);
    ChangeTlbTime(curve, {}, profile.tlbs);
    if (!curve.points.empty()) profile.curves.push_back(std::move(curve));
  }
  FillHits(profile);
  return profile;
}

}  // namespace tare::machine_profile
