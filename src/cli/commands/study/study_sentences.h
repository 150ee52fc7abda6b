// study_sentences.h: comparisons of a study in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study_file.h"
#include "analysis/study_results/level_comparison.h"
#include "analysis/study_results/node_deviation.h"
#include "analysis/study_results/result_set.h"

namespace tare::cli {

// "wall time", "minor faults".
std::string MetricInWords(std::string_view metric);

// "time of traced": the metric and the levels that select its cases.
std::string SelectedText(const study::SelectedMetric& selected);

// What is compared with what.
struct ComparedNames {
  std::string level;     // "level 1"
  std::string baseline;  // "level 6"
  std::string metric;
  std::string unit;
  std::string place;  // "program gzip"; may be empty
};

// "level 1 is 14.7 % faster than level 6 in wall time [8.7, 22.0]."
std::string ComparisonSentence(const study_results::LevelRatio& ratio, const ComparedNames& names);

// The shorter form for a comparison among many: "6.1 % more loads (level 1, program grep)".
std::string DifferenceInWords(const study_results::LevelRatio& ratio, const ComparedNames& names);

// Which nodes are far from the others, and which metrics are the same on all. `by` are the factors
// of the deviations' levels.
std::string NodesSentences(const study_results::ResultSet& set, const std::vector<std::string>& by,
                           const std::vector<study_results::NodeDeviation>& rows);

// "program gzip, level 1": the levels that are not empty.
std::string PlaceInWords(const std::vector<std::string>& by,
                         const std::vector<std::string>& levels);

}  // namespace tare::cli
