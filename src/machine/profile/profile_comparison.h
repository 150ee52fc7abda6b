// profile_comparison.h: comparing two profiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// second / first. The interval follows from both intervals; none when either is missing.
Measured RatioOf(const Measured& first, const Measured& second);
// Both had intervals and these overlap: the interval of their ratio contains 1.
bool Agrees(const Measured& ratio);

// Levels are paired by name; a level of only one profile has no partner.
struct LevelPair {
  std::string name;
  std::optional<Level> first;
  std::optional<Level> second;
};

struct RatePair {
  std::string name;
  std::string unit;
  std::optional<Measured> first;
  std::optional<Measured> second;
  std::optional<Measured> ratio;  // when both have it in the same unit
};

struct PointPair {
  std::uint64_t bytes = 0;
  Measured first;
  Measured second;
  Measured ratio;
};

struct CurvePair {
  CurveKey key;
  // At every size of either curve within the range of both; the other curve is interpolated.
  std::vector<PointPair> points;
  std::size_t compared = 0;  // points of both with intervals
  std::size_t agree = 0;     // points whose intervals overlap
  double median_ratio = 0;   // 0 without points
};

struct Comparison {
  std::vector<LevelPair> levels;
  std::vector<RatePair> rates;
  std::vector<CurvePair> curves;  // in both profiles
  std::vector<CurveKey> only_first;
  std::vector<CurveKey> only_second;
  std::size_t compared = 0;  // over all curves
  std::size_t agree = 0;

  // Share of the compared points; nothing when there are none.
  std::optional<double> AgreeingShare() const;
};

Comparison Compare(const Profile& first, const Profile& second);

// The rate at `bytes`, interpolated linearly on logarithmic axes; nothing outside of the curve. The
// interval is interpolated in the same way, and the worse of the two verdicts applies.
std::optional<Measured> RateAt(const Curve& curve, std::uint64_t bytes);

}  // namespace tare::machine_profile
