// machine_tables.h: a machine profile as tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/caveat.h"
#include "machine/profile/machine_profile.h"
#include "report/document.h"

namespace tare::cli {

// The figure with its interval. What was not measured is doubtful and says where it comes from.
Measured FigureCell(const machine_profile::Figure& figure, std::string_view unit = "");

// The number alone, where its interval stands elsewhere.
Measured WithoutInterval(Measured measured);

// A whole number of a profile that comes from there; nothing for 0.
report::Cell WholeCell(std::uint64_t number, machine_profile::Origin origin,
                       std::string_view unit = "");

// A size, in the unit in which it reads well; nothing for 0.
report::Cell SizeCell(std::uint64_t bytes, machine_profile::Origin origin);
// The size of a working set, which was chosen.
report::Cell SetCell(std::uint64_t bytes);

// Name and value of what the whole profile is: machine, origin, source, topology, conditions.
// `whole`: each condition in a row of its own.
report::Table AboutTable(const machine_profile::Profile& profile, bool whole);
report::Table LevelTable(const machine_profile::Profile& profile);
report::Table LevelRateTable(const machine_profile::Profile& profile);
report::Table TranslationTable(const machine_profile::Profile& profile);
// `whole`: also how each was measured.
report::Table RateTable(const machine_profile::Profile& profile, bool whole);
report::Table DiscoveredTable(const machine_profile::Profile& profile);
// All points of the curves. `whole`: also the origin of each and the share that each cache or a
// nearer one serves.
report::Table CurveTable(const machine_profile::Profile& profile,
                         std::span<const machine_profile::Curve* const> curves, bool whole);
// Those shares in per cent, beside the rate, at about one point for each doubling.
report::Table HitTable(const machine_profile::Profile& profile,
                       std::span<const machine_profile::Curve* const> curves);

// Reasons to trust the profile less: noise, disagreement, numbers that were not measured.
std::vector<Caveat> CaveatsOf(const machine_profile::Profile& profile);

}  // namespace tare::cli
