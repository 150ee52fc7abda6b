// study_plots.h: rows of a study's analyses as dots and lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study_file.h"
#include "analysis/study_results/collected_table.h"
#include "analysis/study_results/level_deviation.h"
#include "cli/commands/study/study_row_tables.h"
#include "report/document.h"

namespace tare::cli {

// What is drawn of the rows of a table; columns by name.
struct PlottedColumns {
  std::string id;
  std::string title;
  std::vector<std::string> names;  // their texts name a row of dots
  std::string group;               // its texts are lines, or colours of dots; may be empty
  std::string x;                   // lines only
  std::string y;
  std::vector<report::Mark> marks = {};
};

// A row of dots for each name; rows of numbers with different units are plots of their own, all
// with the same id. Rows without a number are left out.
std::vector<report::Bars> DotsOfRows(const report::Table& rows, const PlottedColumns& columns);

// A line for each group, over rows that have both numbers, by ascending x.
report::Series LinesOfRows(const report::Table& rows, const PlottedColumns& columns);

// The plots that an analysis `plot` asks for: of rows that have its columns.
std::vector<report::Block> PlotsOfRows(const report::Table& rows,
                                       const study::AnalysisRequest& request,
                                       const std::vector<std::string>& by);

// The plots that an analysis `plot` takes from Documents, with the levels of their cases in id and
// title as far as they differ.
std::vector<report::Block> PlotsOfDocuments(const study_results::CollectedPlots& collected,
                                            const std::vector<std::string>& factors,
                                            const study::AnalysisRequest& request);

// DotsOfRows, without plots of a single dot.
std::vector<report::Block> SeveralDots(const report::Table& rows, const PlottedColumns& columns);

// Both numbers of each row of the analysis `predict`: over a single factor of numbers as lines,
// otherwise as dots.
std::vector<report::Block> PredictionPlots(const report::Table& table,
                                           const std::vector<std::string>& by);

// The variation, the difference of each level from the mean and the scatter of each, with a row for
// each group. The levels of `lines` are colours of the variation and have plots of their own of the
// others, whose colours are the compared levels.
std::vector<report::Block> DeviationPlots(const study_results::LevelDeviations& deviations,
                                          const DeviationNames& names, const std::string& lines);

// The rows as points, and the lines through them.
std::vector<report::Block> FitPlots(const report::Table& rows,
                                    const study::AnalysisRequest& request,
                                    const std::vector<std::string>& by, double confidence);

}  // namespace tare::cli
