// why_tables.h: tables and text about the factors that affect a program.
#pragma once

#include "analysis/why/why.h"
#include "analysis/why/why_fix.h"
#include "report/document.h"

namespace tare::cli {

// A row per response and factor: the causes first, then cleared factors, then those that could not
// be varied. Without `whole`, only the columns that fit and no cleared factors, which the summary
// names.
report::Table CausesTable(const why::WhyReport& report, double confidence, bool whole);

// What to do about each cause.
report::Table FixTable(const std::vector<why::Fix>& fixes);

// The response over environment sizes or heap offsets.
report::Series SweepSeries(const why::Answer& answer);

// Every run of the search, in order of time, with the levels of the factors that it varied.
report::Table WhySamplesTable(const why::WhyReport& report);

// The findings in sentences.
std::string WhySummary(const why::WhyReport& report, const std::string& region);

// The options of tare that fix what can be fixed, in one line; then a comment for each other fix.
std::string FixText(const std::vector<why::Fix>& fixes);

}  // namespace tare::cli
