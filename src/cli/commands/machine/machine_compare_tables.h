// machine_compare_tables.h: tables and a plot that compare two machine profiles.
#pragma once

#include "machine/profile/machine_profile.h"
#include "machine/profile/profile_comparison.h"
#include "report/document.h"

namespace tare::cli {

// A row for each figure of a level that either profile has. `whole` includes the intervals of the
// figures, not only that of their ratio.
report::Table LevelPairTable(const machine_profile::Comparison& comparison, bool whole);
report::Table RatePairTable(const machine_profile::Comparison& comparison, bool whole);

// A row for each common curve: number of points, how many of those with intervals agree, median
// ratio.
report::Table CurvePairTable(const machine_profile::Comparison& comparison);

// Every point of every common curve.
report::Table PointPairTable(const machine_profile::Comparison& comparison);

// The ratio second / first against the working set, for the most informative curves; marks are
// those of the first profile.
report::Series RatioPlot(const machine_profile::Comparison& comparison,
                         const machine_profile::Profile& first);

// Conditions in which the profiles differ, as "pages: huge and small"; empty if none.
std::string DifferentConditions(const machine_profile::Profile& first,
                                const machine_profile::Profile& second);

}  // namespace tare::cli
