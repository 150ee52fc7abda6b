// check_tables.h: a check as tables of a document.
#pragma once

#include "analysis/check/program_check.h"
#include "report/document.h"

namespace tare::cli {

// A row per number: value, verdict, source and meaning.
report::Table VerdictTable(const check::CheckReport& report, double confidence);

report::Table AdviceTable(const check::CheckReport& report);

// The engines of this machine and what keeps the others away.
report::Table EnginesTable();

}  // namespace tare::cli
