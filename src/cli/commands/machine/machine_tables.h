// machine_tables.h: tables of a machine profile.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/caveat.h"
#include "machine/profile/machine_profile.h"
#include "report/document.h"

namespace tare::cli {

// The figure with its interval; exact if the interval has zero width. A figure that was not
// measured is doubtful, with its origin as the reason.
Measured FigureCell(Measured figure, std::string_view unit = "");

// The number without its interval, which is shown elsewhere.
Measured WithoutInterval(Measured measured);

// A whole number of a profile with its origin; empty for 0.
report::Cell WholeCell(std::uint64_t number, machine_profile::Origin origin,
                       std::string_view unit = "");

// A size in a readable unit; empty for 0.
report::Cell SizeCell(std::uint64_t bytes, machine_profile::Origin origin);
// The size of a working set, which was chosen and not measured.
report::Cell SetCell(std::uint64_t bytes);

// Name and value of the profile's properties: machine, origin, source, topology, conditions.
// `whole`: one row for each condition.
report::Table AboutTable(const machine_profile::Profile& profile, bool whole);
report::Table LevelTable(const machine_profile::Profile& profile);
report::Table LevelRateTable(const machine_profile::Profile& profile);
report::Table TlbTable(const machine_profile::Profile& profile);
// `whole` includes how each was measured.
report::Table RateTable(const machine_profile::Profile& profile, bool whole);
report::Table DiscoveredTable(const machine_profile::Profile& profile);
// All points of the curves. `whole` includes the origin of each, and the share of accesses that hit
// each cache or a nearer one.
report::Table CurveTable(const machine_profile::Profile& profile,
                         std::span<const machine_profile::Curve* const> curves, bool whole);
// Those shares in percent, with the rate, at about one point per doubling of the working set.
report::Table HitTable(const machine_profile::Profile& profile,
                       std::span<const machine_profile::Curve* const> curves);

// Reasons to trust the profile less: noise, disagreement, numbers that were not measured.
std::vector<Caveat> CaveatsOf(const machine_profile::Profile& profile);

}  // namespace tare::cli
