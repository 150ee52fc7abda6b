// assemble.cc: figures of points and levels from samples.
#include "machine/survey/assemble.h"

#include <algorithm>
#include <cmath>

#include "machine/profile/hit_rates.h"

namespace tare::survey {
namespace {

using machine_profile::Access;
using machine_profile::Curve;
using machine_profile::CurveKey;
using machine_profile::CurvePoint;
using machine_profile::Level;
using machine_profile::Pattern;

// A level hardly larger than the previous one has no working-set size well within it.
constexpr double kLittleBeyond = 1.1;

const Curve* Find(std::span<const Curve> curves, const CurveKey& key) {
  const auto found = std::ranges::find(curves, key, &Curve::key);
  return found == curves.end() ? nullptr : &*found;
}

// The point that represents a level: on a logarithmic scale the nearest to the middle between the
// previous cache and its own capacity. For memory the largest point, if it exceeds the last cache.
const CurvePoint* PointWithin(const Curve& curve, std::span<const Level> levels,
                              std::size_t index) {
  if (curve.points.empty()) return nullptr;
  const double before = index == 0 ? 2048.0 : static_cast<double>(levels[index - 1].bytes);
  if (index + 1 == levels.size()) {
    const CurvePoint& last = curve.points.back();
    return static_cast<double>(last.bytes) > 2 * before ? &last : nullptr;
  }
  const auto capacity = static_cast<double>(levels[index].bytes);
  const double middle = std::log2(before * capacity) / 2;
  const auto nearest = std::ranges::min_element(curve.points, {}, [&](const CurvePoint& point) {
    return std::abs(std::log2(static_cast<double>(point.bytes)) - middle);
  });
  const auto bytes = static_cast<double>(nearest->bytes);
  return bytes > before && bytes <= kLittleBeyond * capacity ? &*nearest : nullptr;
}

std::optional<Measured> RateWithin(std::span<const Curve> curves, const CurveKey& key,
                                   std::span<const Level> levels, std::size_t index) {
  const Curve* curve = Find(curves, key);
  const CurvePoint* point = curve ? PointWithin(*curve, levels, index) : nullptr;
  if (!point) return std::nullopt;
  return point->rate;
}

// Latency times rate; the interval covers both.
Measured LinesAtOnce(const Measured& latency, const Measured& rate) {
  Measured lines = Scaled(rate, latency.Value());
  if (lines.HasInterval() && latency.HasInterval()) {
    lines.low = *rate.low * *latency.low;
    lines.high = *rate.high * *latency.high;
  }
  return lines;
}

}  // namespace

std::vector<Curve> CurvesOf(std::span<const CurveSamples> samples, std::span<const Level> levels) {
  std::vector<Curve> curves;
  for (const CurveSamples& measured : samples) {
    Curve curve{measured.key, {}};
    for (const PointSamples& point : measured.points) {
      if (point.samples.values.empty()) continue;
      curve.points.push_back({point.bytes, FigureOf(point.samples),
                              machine_profile::HitRates(levels, measured.key, point.bytes)});
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

void FillBandwidths(std::vector<Level>& levels, std::span<const Curve> curves,
                    unsigned widest_vector) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto wide = [&](Access access) -> std::optional<Measured> {
      const auto rate =
          RateWithin(curves, {access, Pattern::kStrided, 1, widest_vector}, levels, i);
      if (!rate) return std::nullopt;
      return Scaled(*rate, widest_vector);
    };
    levels[i].load = wide(Access::kLoad);
    levels[i].store = wide(Access::kStore);
    const auto random = RateWithin(curves, {Access::kLoad, Pattern::kRandom, 1, 8}, levels, i);
    // In the first cache random loads are limited by computing addresses, not by lines in flight.
    if (i > 0 && random && levels[i].latency) {
      levels[i].parallel = LinesAtOnce(*levels[i].latency, *random);
    }
  }
}

}  // namespace tare::survey
