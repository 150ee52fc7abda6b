// memory_model.h: modelling a curve as the time per access at each level, weighted by the share
// that the level serves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// seconds(size) = sum over levels of the share served there times `seconds` of that level.
struct CurveModel {
  CurveKey key;
  std::vector<double> seconds;  // of an access that each level serves, memory last
  std::vector<bool> known;      // false: no point of the curve depends on that level
  // The ratio of computed to measured times, as a factor minus 1, over the points of the fit.
  double median_error = 0;
  double usual_error = 0;  // not exceeded by kConfidence of the points
  double worst_error = 0;

  double Seconds(std::span<const Level> levels, std::uint64_t bytes) const;

  friend bool operator==(const CurveModel&, const CurveModel&) = default;
};

// The nonnegative times that minimize the sum of squared relative errors over the points of the
// curve; points with large errors have less weight. Needs at least as many points as levels.
// Deterministic.
Result<CurveModel> FitCurve(const Curve& curve, std::span<const Level> levels);

// Seconds of one access of `key` that `levels[index]` serves, from that level's own figures;
// nothing when a required one is missing. `widest_bytes` is the element size of the measured
// bandwidths: narrower elements are not faster.
std::optional<double> LevelSeconds(std::span<const Level> levels, std::size_t index,
                                   const CurveKey& key, unsigned widest_bytes);

// The same for all levels. Fails with the name of the level that lacks a figure.
Result<CurveModel> ModelFromLevels(std::span<const Level> levels, const CurveKey& key,
                                   unsigned widest_bytes);

// The widest element of the profile's curves; without curves the rate "widest element" in bytes, or
// 8.
unsigned WidestElement(const Profile& profile);

// 2 KiB to four times the last cache, four sizes per doubling.
std::vector<std::uint64_t> ModelSizes(std::span<const Level> levels);

// The points of a model at `sizes`, of origin kProjected, with hit rates. `error` is the relative
// half-width of their intervals; they have none when it is 0.
Curve CurveFromModel(const CurveModel& model, std::span<const Level> levels,
                     std::span<const std::uint64_t> sizes, double error);

// The curves of a complete survey: loads, stores and updates with strides 1 to 64 and random, and
// chained loads, of 8 bytes; also stride 1 and random of the widest element.
std::vector<CurveKey> UsualCurves(unsigned widest_bytes);

// Adds the usual curves that the profile lacks and that its levels' figures determine, of origin
// kProjected, and all missing hit rates.
Profile WithCurves(Profile profile);

}  // namespace tare::machine_profile
