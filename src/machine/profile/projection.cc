// projection.cc: rebuilding curves from the times of changed levels.
#include "machine/profile/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/printable.h"
#include "machine/profile/changed_levels.h"
#include "machine/profile/hit_rates.h"
#include "machine/profile/profile_validity.h"
#include "machine/profile/tlb_model.h"

namespace tare::machine_profile {
namespace {

// Computed times with a smaller difference are equal.
constexpr double kSame = 1e-9;

bool SameCaches(std::span<const Level> before, std::span<const Level> after) {
  const auto geometry = [](const Level& a, const Level& b) {
    return a.bytes == b.bytes && a.ways == b.ways && a.line_bytes == b.line_bytes;
  };
  return std::ranges::equal(before, after, geometry);
}

// The sizes of the curve, plus those around the new cache capacities.
std::vector<std::uint64_t> SizesFor(const Curve& curve, std::span<const Level> before,
                                    std::span<const Level> after) {
  std::set<std::uint64_t> sizes;
  for (const CurvePoint& point : curve.points) sizes.insert(point.bytes);
  if (!SameCaches(before, after) && !sizes.empty()) {
    const std::uint64_t min = *sizes.begin();
    for (const std::uint64_t size : ModelSizes(after)) {
      if (size > min) sizes.insert(size);
    }
  }
  return {sizes.begin(), sizes.end()};
}

// What a model does not explain: measured divided by computed time, by size of the working set.
class Residuals {
 public:
  Residuals(const Curve& curve, const CurveModel& model, std::span<const Level> levels) {
    for (const CurvePoint& point : curve.points) {
      bytes_.push_back(static_cast<double>(point.bytes));
      ratios_.push_back(1 / point.rate.Value() / model.Seconds(levels, point.bytes));
    }
  }

  double At(double bytes) const { return AtSize(bytes_, ratios_, bytes); }

 private:
  std::vector<double> bytes_;
  std::vector<double> ratios_;
};

std::vector<double> Capacities(std::span<const Level> levels) {
  std::vector<double> bytes;
  for (const Level& level : levels.first(levels.size() - 1)) {
    bytes.push_back(static_cast<double>(level.bytes));
  }
  return bytes;
}

// Keeps the points whose computed time has not changed. The others get the computed time, times
// what the old model did not explain at the size that is the same part of the old caches.
Curve Rebuild(const Curve& curve, const CurveModel& before, std::span<const Level> levels_before,
              const CurveModel& after, std::span<const Level> levels) {
  const auto sizes = SizesFor(curve, levels_before, levels);
  Curve rebuilt = CurveFromModel(after, levels, sizes, before.usual_error);
  const Residuals residuals(curve, before, levels_before);
  const std::vector<double> old_caches = Capacities(levels_before);
  const std::vector<double> caches = Capacities(levels);
  for (CurvePoint& point : rebuilt.points) {
    const auto old = std::ranges::find(curve.points, point.bytes, &CurvePoint::bytes);
    const double seconds = after.Seconds(levels, point.bytes);
    if (old != curve.points.end()) {
      const double old_seconds = before.Seconds(levels_before, point.bytes);
      if (std::abs(seconds - old_seconds) <= kSame * old_seconds) {
        point.rate = old->rate;
        continue;
      }
    }
    auto bytes = static_cast<double>(point.bytes);
    if (caches.size() == old_caches.size() && !caches.empty()) {
      bytes = Warped(bytes, caches, old_caches);
    }
    const double residual = residuals.At(bytes);
    if (residual > 0 && std::isfinite(residual)) point.rate = Scaled(point.rate, 1 / residual);
  }
  return rebuilt;
}

void CopyUnchanged(Projection& projection, const Curve& curve, std::string reason) {
  Curve kept = curve;
  for (CurvePoint& point : kept.points) {
    point.hits = HitRates(projection.profile.levels, kept.key, point.bytes);
    if (point.rate.verdict != Verdict::kValid) continue;
    point.rate.verdict = Verdict::kDoubtful;
    point.rate.reason = "copied from the original machine, not projected";
  }
  projection.profile.curves.push_back(std::move(kept));
  projection.kept.push_back(fmt::format("{}: {}", CurveName(curve.key), reason));
}

// The time of TLB misses can be taken out of a curve that was computed with them, not out of a
// measured one, where other work hides part of it.
bool IsComputed(const Curve& curve) {
  return std::ranges::all_of(curve.points, [](const CurvePoint& point) {
    return OriginOf(point.rate) == Origin::kProjected;
  });
}

void RebuildCurve(Projection& projection, const Profile& profile, Curve curve,
                  const ChangedLevels& changed) {
  const unsigned widest = WidestElement(profile);
  const bool computed = IsComputed(curve);
  if (computed) ChangeTlbTime(curve, profile.tlbs, {});
  const auto before = FitCurve(curve, profile.levels);
  if (!before) return CopyUnchanged(projection, curve, before.error().message);
  const auto after = ChangeModel(*before, profile.levels, changed, widest);
  if (!after) {
    return CopyUnchanged(projection, curve, "the levels lack figures that it needs");
  }
  Curve rebuilt = Rebuild(curve, *before, profile.levels, *after, changed.levels);
  ChangeTlbTime(rebuilt, computed ? std::span<const Tlb>() : profile.tlbs, projection.profile.tlbs);
  projection.profile.curves.push_back(std::move(rebuilt));
  projection.before.push_back(*before);
  projection.after.push_back(*after);
}

void Doubt(Measured& figure, std::string_view whose) {
  if (figure.verdict != Verdict::kValid) return;
  figure.verdict = Verdict::kDoubtful;
  figure.reason = fmt::format("copied from {}, not projected", whose);
}

// Operations scale with the clock; rates that depend on memory keep the old machine's values.
void ChangeRates(Profile& profile, double clock, std::string_view whose) {
  for (Rate& rate : profile.rates) {
    const bool operations = rate.unit == "flop/s" || rate.unit == "op/s" || rate.unit == "Hz";
    const bool memory = rate.unit.starts_with("B/") || rate.name.find("TLB") != std::string::npos ||
                        rate.name.find("memory") != std::string::npos;
    const bool waits = rate.unit == "s" && !memory;
    if (clock != 1 && (operations || waits)) {
      rate.figure =
          WithOrigin(Origin::kProjected, Scaled(rate.figure, operations ? clock : 1 / clock));
    }
    if (memory) Doubt(rate.figure, whose);
  }
  for (Graph& graph : profile.graphs) {
    for (GraphPoint& point : graph.points) Doubt(point.y, whose);
  }
}

void Rename(Profile& profile, std::span<const Change> changes, std::string_view name) {
  std::vector<std::string_view> texts;
  for (const Change& change : changes) texts.push_back(change.text);
  const std::string before = profile.derived_from.empty()
                                 ? profile.name
                                 : fmt::format("{} ({})", profile.name, profile.derived_from);
  profile.derived_from = fmt::format("{}: {}", before, fmt::join(texts, "; "));
  profile.name = name;
  profile.origin = Origin::kProjected;
  profile.time.clear();
}

// Everything but curves: levels, TLBs, rates and the name.
Result<void> ChangeAllButCurves(Profile& projected, const ChangedLevels& changed,
                                std::span<const Change> changes, std::string_view name) {
  const std::string whose = projected.name;
  projected.levels = changed.levels;
  TRY(projected.tlbs, ChangeTlbs(projected.tlbs, changes));
  Rename(projected, changes, name);
  if (const auto possible = RequirePossible(projected); !possible) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the projected machine is impossible: {}", possible.error().message));
  }
  if (!changes.empty()) ChangeRates(projected, changed.clock, whose);
  return {};
}

}  // namespace

Profile WithoutCurves(const Profile& profile) {
  Profile copy;
  copy.name = profile.name;
  copy.machine = profile.machine;
  copy.model = profile.model;
  copy.architecture = profile.architecture;
  copy.origin = profile.origin;
  copy.source = profile.source;
  copy.time = profile.time;
  copy.derived_from = profile.derived_from;
  copy.topology = profile.topology;
  copy.conditions = profile.conditions;
  copy.levels = profile.levels;
  copy.tlbs = profile.tlbs;
  copy.rates = profile.rates;
  return copy;
}

Result<Profile> ProjectLevels(const Profile& profile, std::span<const Change> changes,
                              std::string_view name) {
  TRY(const ChangedLevels changed, ChangeLevels(profile.levels, changes));
  Profile projected = WithoutCurves(profile);
  TRY_VOID(ChangeAllButCurves(projected, changed, changes, name));
  return projected;
}

Result<Projection> Project(const Profile& profile, std::span<const Change> changes,
                           std::string_view name) {
  TRY(const ChangedLevels changed, ChangeLevels(profile.levels, changes));
  Projection projection{profile, {}, {}, {}};
  Profile& projected = projection.profile;
  projected.curves.clear();
  projected.discovered.clear();
  TRY_VOID(ChangeAllButCurves(projected, changed, changes, name));
  for (const Curve& curve : profile.curves) RebuildCurve(projection, profile, curve, changed);
  projected = WithCurves(std::move(projected));
  return projection;
}

}  // namespace tare::machine_profile
