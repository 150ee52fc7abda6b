// study_row_tables.h: tables and sentences of the analyses deviations, tables, summary and fit.
#pragma once

#include <string>
#include <vector>

#include "analysis/study/study_file.h"
#include "analysis/study_results/collected_table.h"
#include "analysis/study_results/level_deviation.h"
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

struct RowAnalysis {
  report::Table table;   // without an id
  std::string sentence;  // may be empty
};

// The analysis tables, summary or fit of rows that have all columns of the request.
RowAnalysis AnalyseRows(const study_results::CollectedTable& collected,
                        const study::AnalysisRequest& request, const std::vector<std::string>& by,
                        double confidence);

// A sentence for each column of the request that no row has; empty if there is none.
std::string UnknownColumns(const report::Table& rows, const study::AnalysisRequest& request,
                           const std::vector<std::string>& by);
// The same of names in `relative`, which are columns that `across` makes of these rows. The rows
// have all other columns of the request.
std::string UnknownInRelative(const report::Table& rows, const study::AnalysisRequest& request,
                              const std::vector<std::string>& by);

}  // namespace tare::cli
