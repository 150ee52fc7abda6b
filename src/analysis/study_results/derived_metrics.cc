// derived_metrics.cc: evaluates the expressions of a study file run by run.
#include "analysis/study_results/derived_metrics.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace tare::study_results {

void AddDerivedMetrics(const study::Study& study, study::StoredStudy& stored) {
  for (const study::OutputMetric& metric : study.output_metrics) {
    if (!metric.expression) continue;
    std::vector<std::size_t> columns;
    for (const std::string& name : metric.expression->Names()) {
      const auto found = std::ranges::find(stored.metrics, name, &study::StoredMetric::name);
      columns.push_back(static_cast<std::size_t>(found - stored.metrics.begin()));
    }
    // What runs printed under this name before the file was changed does not count.
    const auto same = std::ranges::find(stored.metrics, metric.name, &study::StoredMetric::name);
    const auto added = static_cast<std::size_t>(same - stored.metrics.begin());
    if (same == stored.metrics.end()) stored.metrics.push_back({metric.name, metric.unit});
    std::vector<std::optional<Number>> values(columns.size());
    for (study::LoadedRun& run : stored.runs) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        values[i] = columns[i] < run.values.size() ? run.values[columns[i]] : std::nullopt;
      }
      const auto value = metric.expression->Value(values);
      if (!value && added >= run.values.size()) continue;
      run.values.resize(std::max(run.values.size(), added + 1));
      run.values[added] = value;
    }
  }
}

}  // namespace tare::study_results
