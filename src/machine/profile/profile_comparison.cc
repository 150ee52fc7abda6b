// profile_comparison.cc: what two profiles have in common, and how much they differ.
#include "machine/profile/profile_comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/derived.h"
#include "stats/sample.h"

namespace tare::machine_profile {
namespace {

double Interpolated(double low, double high, double part) {
  return std::exp(std::log(low) * (1 - part) + std::log(high) * part);
}

// An interval that extends to 0 has no logarithm.
bool HasLogarithms(const Measured& figure) { return figure.HasInterval() && *figure.low > 0; }

Measured Blend(const CurvePoint& a, const CurvePoint& b, std::uint64_t bytes) {
  const double part = std::log(static_cast<double>(bytes) / static_cast<double>(a.bytes)) /
                      std::log(static_cast<double>(b.bytes) / static_cast<double>(a.bytes));
  const bool worse = Worse(a.rate.verdict, b.rate.verdict) == a.rate.verdict;
  Measured figure = worse ? a.rate : b.rate;
  if (OriginOf(a.rate) == Origin::kProjected || OriginOf(b.rate) == Origin::kProjected) {
    figure = WithOrigin(Origin::kProjected, std::move(figure));
  }
  figure.value = Interpolated(a.rate.Value(), b.rate.Value(), part);
  figure.low.reset();
  figure.high.reset();
  figure.confidence.reset();
  if (HasLogarithms(a.rate) && HasLogarithms(b.rate)) {
    figure.low = Interpolated(*a.rate.low, *b.rate.low, part);
    figure.high = Interpolated(*a.rate.high, *b.rate.high, part);
    figure.confidence = kConfidence;
  }
  return figure;
}

std::optional<Level> LevelNamed(const Profile& profile, std::string_view name) {
  const auto found = std::ranges::find(profile.levels, name, &Level::name);
  if (found == profile.levels.end()) return std::nullopt;
  return *found;
}

std::vector<LevelPair> PairLevels(const Profile& first, const Profile& second) {
  std::vector<LevelPair> pairs;
  for (const Level& level : first.levels) {
    pairs.push_back({level.name, level, LevelNamed(second, level.name)});
  }
  for (const Level& level : second.levels) {
    if (LevelNamed(first, level.name)) continue;
    // Memory stays last.
    pairs.insert(pairs.end() - (pairs.empty() ? 0 : 1), {level.name, std::nullopt, level});
  }
  return pairs;
}

std::vector<RatePair> PairRates(const Profile& first, const Profile& second) {
  std::vector<RatePair> pairs;
  for (const Rate& rate : first.rates) {
    RatePair pair{rate.name, rate.unit, rate.figure, std::nullopt, std::nullopt};
    const Rate* other = second.FindRate(rate.name);
    if (other != nullptr && other->unit == rate.unit) {
      pair.second = other->figure;
      pair.ratio = RatioOf(rate.figure, other->figure);
    }
    pairs.push_back(std::move(pair));
  }
  for (const Rate& rate : second.rates) {
    const Rate* other = first.FindRate(rate.name);
    if (other != nullptr && other->unit == rate.unit) continue;
    pairs.push_back({rate.name, rate.unit, std::nullopt, rate.figure, std::nullopt});
  }
  return pairs;
}

double MedianRatio(const std::vector<PointPair>& points) {
  if (points.empty()) return 0;
  std::vector<double> logarithms;
  for (const PointPair& point : points) logarithms.push_back(std::log(point.ratio.Value()));
  return std::exp(stats::MedianOf(logarithms));
}

bool HasPoint(const Curve& curve, std::uint64_t bytes) {
  return std::ranges::binary_search(curve.points, bytes, {}, &CurvePoint::bytes);
}

CurvePair PairCurves(const Curve& first, const Curve& second) {
  CurvePair pair{first.key, {}, 0, 0, 0};
  std::set<std::uint64_t> sizes;
  for (const CurvePoint& point : first.points) sizes.insert(point.bytes);
  for (const CurvePoint& point : second.points) sizes.insert(point.bytes);
  for (const std::uint64_t bytes : sizes) {
    const auto a = RateAt(first, bytes);
    const auto b = RateAt(second, bytes);
    if (!a || !b) continue;
    pair.points.push_back({bytes, *a, *b, RatioOf(*a, *b)});
    if (!HasPoint(first, bytes) || !HasPoint(second, bytes)) continue;
    if (!pair.points.back().ratio.HasInterval()) continue;
    ++pair.compared;
    if (Agrees(pair.points.back().ratio)) ++pair.agree;
  }
  pair.median_ratio = MedianRatio(pair.points);
  return pair;
}

}  // namespace

Measured RatioOf(const Measured& first, const Measured& second) {
  Measured ratio = Unbounded(second.Value() / first.Value());
  if (HasLogarithms(first) && HasLogarithms(second)) {
    // The extreme ratios, because the correlation between the two is unknown.
    ratio = Between(second.Value() / first.Value(), *second.low / *first.high,
                    *second.high / *first.low, kConfidence);
  }
  return WithWorstVerdict(std::move(ratio), {first, second});
}

bool Agrees(const Measured& ratio) { return ratio.HasInterval() && ratio.Contains(1); }

std::optional<double> Comparison::AgreeingShare() const {
  if (compared == 0) return std::nullopt;
  return static_cast<double>(agree) / static_cast<double>(compared);
}

Comparison Compare(const Profile& first, const Profile& second) {
  Comparison comparison;
  comparison.levels = PairLevels(first, second);
  comparison.rates = PairRates(first, second);
  for (const Curve& curve : first.curves) {
    const Curve* other = second.FindCurve(curve.key);
    if (other == nullptr) {
      comparison.only_first.push_back(curve.key);
      continue;
    }
    comparison.curves.push_back(PairCurves(curve, *other));
    comparison.compared += comparison.curves.back().compared;
    comparison.agree += comparison.curves.back().agree;
  }
  for (const Curve& curve : second.curves) {
    if (first.FindCurve(curve.key) == nullptr) comparison.only_second.push_back(curve.key);
  }
  return comparison;
}

std::optional<Measured> RateAt(const Curve& curve, std::uint64_t bytes) {
  const auto after = std::ranges::lower_bound(curve.points, bytes, {}, &CurvePoint::bytes);
  if (after == curve.points.end()) return std::nullopt;
  if (after->bytes == bytes) return after->rate;
  if (after == curve.points.begin()) return std::nullopt;
  return Blend(*(after - 1), *after, bytes);
}

}  // namespace tare::machine_profile
