// check_tables.h: the tables of `tare check`.
#pragma once

#include <string>

#include "analysis/check/program_check.h"
#include "report/document.h"

namespace tare::cli {

// A row per number: value, verdict, source and meaning.
report::Table VerdictTable(const check::CheckReport& report, double confidence);

// The finding in two sentences: how long the program takes, and how many instructions it executes.
std::string CheckAnswer(const check::CheckReport& report, const std::string& program);

// The wall time of each timed run.
report::Table RunTimesTable(const check::CheckReport& report);
// The same as points, with the median and its interval.
report::Series RunTimesPlot(const check::CheckReport& report);

report::Table AdviceTable(const check::CheckReport& report);

// The engines that this machine can run, and why it cannot run the others.
report::Table EnginesTable();

}  // namespace tare::cli
