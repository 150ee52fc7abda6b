// study_tables.h: tables and sentences about the progress and the results of a study.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/run_schedule.h"
#include "analysis/study_results/result_set.h"
#include "analysis/study_results/study_difference.h"
#include "cli/commands/study/study_options.h"
#include "report/document.h"

namespace tare::cli {

// Progress of each case.
report::Table StudyCasesTable(const OpenedStudy& opened, const study::RunSchedule& schedule,
                              const study_results::ResultSet& set);
// Cases that have runs left, and how long those take.
report::Table StudyPlanTable(const OpenedStudy& opened, const study::RunSchedule& schedule);
report::Table StudyFailuresTable(const study_results::ResultSet& set);
report::Table StudyChangesTable(const study_results::ResultSet& set);
report::Table StudyNodesTable(const study_results::ResultSet& set);

// "No run of bad, time succeeded. "; empty if every case that is finished has a result.
std::string CasesWithoutResult(const OpenedStudy& opened, const study::RunSchedule& schedule);

// "90 of 120 runs are done; 2 failed. About 3 min are left."
std::string StudyProgressText(const study::RunSchedule& schedule,
                              const study_results::ResultSet& set);

struct AnalysisExtent {
  bool all_metrics = false;
  bool plots = false;  // of tables, beside those that the file asks for
};

// Adds the tables and plots of the analyses that the file asks for, and the answer before them.
void AddAnalyses(const OpenedStudy& opened, const study::RunSchedule& schedule,
                 const study_results::ResultSet& set, AnalysisExtent extent,
                 report::Document& document);

std::vector<Caveat> StudyCaveats(const OpenedStudy& opened, const study_results::ResultSet& set,
                                 const study::RunSchedule& schedule);

report::Table StudyDifferenceTable(const study_results::StudyDifference& difference);

// "1 case", "3 cases".
std::string Counted(std::size_t count, std::string_view what);

// Columns for factors; one that does not vary is a detail.
std::vector<report::Column> FactorColumns(const std::vector<std::string>& factors,
                                          const std::vector<std::string>& varying);

// Factors and texts of results may have the names of other columns: they get a _ appended.
void SeparateColumns(report::Document& document);

// "faster" and "slower" for times, "less" and "more" for other metrics.
std::string StudyAnswer(compare::Answer answer, const std::string& unit);

}  // namespace tare::cli
