// why_tables.h: what moves a program, as blocks of a document.
#pragma once

#include "analysis/why/why.h"
#include "analysis/why/why_fix.h"
#include "report/document.h"

namespace tare::cli {

// A row per response and factor: the causes first, then what was cleared, then what could not be
// varied. For people the columns that fit, and no rows of what was cleared: the summary names
// those.
report::Table CausesTable(const why::WhyReport& report, double confidence, bool whole);

// What to do about each cause.
report::Table FixTable(const std::vector<why::Fix>& fixes);

// The response over sizes of the environment or offsets of the heap.
report::Series SweepSeries(const why::Answer& answer);

// What was found, in sentences.
std::string WhySummary(const why::WhyReport& report, const std::string& region);

// The options of tare that hold what can be held, in one line; then a comment for each of the rest.
std::string FixText(const std::vector<why::Fix>& fixes);

}  // namespace tare::cli
