// machine_compare_tables.h: two machine profiles side by side, as tables and a picture.
#pragma once

#include "machine/profile/machine_profile.h"
#include "machine/profile/profile_comparison.h"
#include "report/document.h"

namespace tare::cli {

// A row for each figure that either has of a level. `whole`: the intervals of the figures too, not
// only that of their ratio, which follows from them.
report::Table LevelPairTable(const machine_profile::Comparison& comparison, bool whole);
report::Table RatePairTable(const machine_profile::Comparison& comparison, bool whole);

// A row for each curve that both have: points, how many of those with intervals agree, median
// ratio.
report::Table CurvePairTable(const machine_profile::Comparison& comparison);

// Every point of every curve that both have.
report::Table PointPairTable(const machine_profile::Comparison& comparison);

// Second over first against the working set, of the curves that say most; marks are the first's.
report::Series RatioPlot(const machine_profile::Comparison& comparison,
                         const machine_profile::Profile& first);

// Conditions in which the profiles differ, told as "pages: huge and small"; empty when none.
std::string DifferentConditions(const machine_profile::Profile& first,
                                const machine_profile::Profile& second);

}  // namespace tare::cli
