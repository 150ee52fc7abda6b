// memory_model.h: a curve as time per access at each level, weighed by the share that the level
// serves.
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
  std::vector<double> seconds;  // of an access that is served by each level, memory last
  std::vector<bool> known;      // false: no point of the curve says anything about that level
  // By which factor, less 1, computed and measured times differ over the points of the fit.
  double median_error = 0;
  double usual_error = 0;  // that kConfidence of the points do not exceed
  double worst_error = 0;

  double Seconds(std::span<const Level> levels, std::uint64_t bytes) const;

  friend bool operator==(const CurveModel&, const CurveModel&) = default;
};

// The times, none below 0, that leave the least sum of squared relative errors over the points of
// the curve, where points that are far off count less. Needs as many points as there are levels.
// The same curve gives the same model.
Result<CurveModel> FitCurve(const Curve& curve, std::span<const Level> levels);

// Seconds of one access of `key` that `levels[index]` serves, by that level's own figures; nothing
// when those that it needs are not there. `widest_bytes` is the element that the bandwidths were
// had with: narrower ones come no faster.
std::optional<double> LevelSeconds(std::span<const Level> levels, std::size_t index,
                                   const CurveKey& key, unsigned widest_bytes);

// The same for all levels. Fails with the name of the level that lacks a figure.
Result<CurveModel> ModelFromLevels(std::span<const Level> levels, const CurveKey& key,
                                   unsigned widest_bytes);

// The widest element that the profile has curves of; without curves the rate "widest element" in
// bytes, or 8.
unsigned WidestElement(const Profile& profile);

// 2 KiB to four times the last cache, four sizes in each doubling.
std::vector<std::uint64_t> ModelSizes(std::span<const Level> levels);

// The points of a model at `sizes`, as projected, with hit rates. Their intervals reach as far as
// `error`, which is relative; there are none when it is 0.
Curve CurveFromModel(const CurveModel& model, std::span<const Level> levels,
                     std::span<const std::uint64_t> sizes, double error);

// Curves that a whole survey has too: loads, stores and updates with stride 1 to 64 and at
// random, and chained loads, of 8 bytes; stride 1 and random of the widest element too.
std::vector<CurveKey> UsualCurves(unsigned widest_bytes);

// Adds the usual curves that the profile lacks and its levels' figures suffice for, as projected,
// and all hit rates that are missing.
Profile WithCurves(Profile profile);

}  // namespace tare::machine_profile
