// study_analysis_tables.h: tables of the analyses groups, compare, proxy and machines.
#pragma once

#include <string>
#include <vector>

#include "analysis/study/study_file.h"
#include "analysis/study_results/group_summary.h"
#include "analysis/study_results/level_comparison.h"
#include "analysis/study_results/node_deviation.h"
#include "analysis/study_results/result_set.h"
#include "report/document.h"

namespace tare::cli {

// A row for each group and metric; `results` are those of all cases.
report::Table GroupTable(const study_results::ResultSet& set, const std::string& id,
                         const std::vector<std::string>& by,
                         const std::vector<study_results::GroupSummary>& groups);

// Both without an id.
report::Table LevelRatioTable(const study_results::ResultSet& set,
                              const study::AnalysisRequest& request,
                              const std::vector<std::string>& by,
                              const std::vector<study_results::LevelRatio>& rows);
report::Table NodeDeviationTable(const study_results::ResultSet& set,
                                 const std::vector<std::string>& by,
                                 const std::vector<study_results::NodeDeviation>& rows);

}  // namespace tare::cli
