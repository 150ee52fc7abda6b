// study_row_tables.h: tables and sentences of the analyses deviations, tables, summary and fit.
#pragma once

#include <string>
#include <vector>

#include "analysis/study/study_file.h"
#include "analysis/study_results/collected_table.h"
#include "analysis/study_results/level_deviation.h"
#include "analysis/study_results/row_fit.h"
#include "analysis/study_results/row_summary.h"
#include "report/document.h"

namespace tare::cli {

// What is compared: engine, by program, in instructions.
struct DeviationNames {
  std::string of;
  std::vector<std::string> by;
  std::string metric;
  std::string unit;
};

// Mean, standard deviation and coefficient of variation of the levels' means, and the difference of
// each level from the mean.
report::Table DeviationTable(const study_results::LevelDeviations& deviations,
                             const DeviationNames& names);
// The same of the runs within each level.
report::Table DeviationWithinTable(const study_results::LevelDeviations& deviations,
                                   const DeviationNames& names);
std::string DeviationSentence(const study_results::LevelDeviations& deviations,
                              const DeviationNames& names);

// The rows with the columns `by` and those of the request.
report::Table CollectedRowsTable(const study_results::CollectedTable& collected,
                                 const study::AnalysisRequest& request,
                                 const std::vector<std::string>& by);

report::Table RowSummaryTable(const std::vector<study_results::RowSummary>& summaries,
                              const report::Table& rows, const study::AnalysisRequest& request,
                              const std::vector<std::string>& by);
// "verdict: 3 valid, 1 refused. The median ratio is 1.02, between 0.98 and 1.5."
std::string RowSummarySentence(const std::vector<study_results::RowSummary>& summaries,
                               const study::AnalysisRequest& request);

report::Table RowFitTable(const std::vector<study_results::RowFit>& fits,
                          const study_results::FitRequest& request);
std::string RowFitSentence(const std::vector<study_results::RowFit>& fits,
                           const study_results::FitRequest& request);

// A sentence for each column of the request that no row has; empty if there is none.
std::string UnknownColumns(const report::Table& rows, const study::AnalysisRequest& request,
                           const std::vector<std::string>& by);

}  // namespace tare::cli
