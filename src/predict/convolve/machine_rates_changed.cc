// machine_rates_changed.cc: costs of a machine that differs from a known one.
#include <algorithm>
#include <cmath>

#include "machine/profile/changed_levels.h"
#include "predict/convolve/loop_work.h"
#include "predict/convolve/machine_rates.h"

namespace tare::convolve {
namespace {

using machine_profile::Level;
using machine_profile::Profile;
using signature::Work;

// The steps of `base` for a machine with other levels: distances follow the capacities, costs of a
// step follow those of its level.
void FollowLevels(const Profile& profile, const Profile& changed, const MachineRates& plain,
                  const MachineRates& base, MachineRates& rates) {
  std::vector<double> from;
  std::vector<double> to;
  for (std::size_t i = 0; i + 1 < profile.levels.size(); ++i) {
    from.push_back(static_cast<double>(profile.levels[i].bytes));
    to.push_back(static_cast<double>(changed.levels[i].bytes));
  }
  const Costs by_level = rates.costs;
  const signature::CacheShape first = rates.hierarchy.caches.front();
  rates.hierarchy.caches = {first};
  for (const signature::CacheShape& cache : base.hierarchy.caches) {
    if (&cache == &base.hierarchy.caches.front()) continue;
    const double bytes = machine_profile::Warped(static_cast<double>(cache.bytes), from, to);
    const auto lines = static_cast<std::uint64_t>(bytes / first.line_bytes);
    rates.hierarchy.caches.push_back({lines * first.line_bytes, 0, first.line_bytes});
  }
  const auto follow = [&](Costs& costs, const Costs& measured) {
    costs.levels = measured.levels;
    for (std::size_t i = 1; i < costs.levels.size(); ++i) {
      const auto level = static_cast<std::size_t>(
          std::ranges::find(profile.levels, base.level_names[i], &Level::name) -
          profile.levels.begin());
      const LevelCosts& before = plain.costs.levels[level];
      const LevelCosts& after = by_level.levels[level];
      for (const auto field : {&LevelCosts::stream, &LevelCosts::streams, &LevelCosts::filled,
                               &LevelCosts::strided, &LevelCosts::random, &LevelCosts::latency,
                               &LevelCosts::write, &LevelCosts::write_random}) {
        const double factor = after.*field / before.*field;
        if (std::isfinite(factor) && factor > 0) costs.levels[i].*field *= factor;
      }
    }
    OverlapWalks(rates.hierarchy, costs);
  };
  follow(rates.costs, base.costs);
  std::erase_if(rates.spreads, [&](const RateSpread& spread) {
    return std::ranges::find(base.spreads, spread.what, &RateSpread::what) == base.spreads.end();
  });
  for (RateSpread& spread : rates.spreads) {
    const auto measured = std::ranges::find(base.spreads, spread.what, &RateSpread::what);
    follow(spread.fast, measured->fast);
    follow(spread.slow, measured->slow);
  }
  rates.level_names = base.level_names;
  rates.by_distance = true;
}

}  // namespace

Result<MachineRates> ChangedRates(const Profile& profile, const MachineRates& base,
                                  std::span<const machine_profile::Change> changes,
                                  std::string_view name) {
  TRY(const Profile changed, machine_profile::ProjectLevels(profile, changes, name));
  TRY(MachineRates rates, RatesOf(changed));
  // Figures that come from curves follow those that come from levels and operations.
  TRY(const MachineRates plain, RatesOf(machine_profile::WithoutCurves(profile)));
  const auto follow = [](double& cost, double from_curve, double before) {
    if (before > 0 && std::isfinite(from_curve)) cost *= from_curve / before;
  };
  const auto adapt = [&](Costs& costs) {
    for (const Work work : {Work::kLoad, Work::kStore}) {
      const auto at = IndexOf(work);
      follow(costs.core.each[at], base.costs.core.each[at], plain.costs.core.each[at]);
    }
    // Costs by distance have several steps per level; FollowLevels changes those.
    for (std::size_t i = 0; i < costs.levels.size() && !base.by_distance; ++i) {
      const auto found = std::ranges::find(base.level_names, rates.level_names[i]);
      if (found == base.level_names.end()) continue;
      const auto at = static_cast<std::size_t>(found - base.level_names.begin());
      follow(costs.levels[i].strided, base.costs.levels[at].strided,
             plain.costs.levels[at].strided);
      costs.levels[i].exposed = base.costs.levels[at].exposed;
    }
  };
  adapt(rates.costs);
  for (RateSpread& spread : rates.spreads) {
    adapt(spread.fast);
    adapt(spread.slow);
  }
  if (base.by_distance && changed.levels.size() == profile.levels.size()) {
    FollowLevels(profile, changed, plain, base, rates);
  }
  if (base.far_walk && !rates.far_walk && !rates.hierarchy.tlbs.empty()) {
    AddFarWalk(*base.far_walk, rates);
  }
  rates.derived = base.derived;
  return rates;
}

}  // namespace tare::convolve
