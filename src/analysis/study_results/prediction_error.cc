// prediction_error.cc: pairs of predicted and measured centres.
#include "analysis/study_results/prediction_error.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/study_results/group_summary.h"
#include "stats/sample.h"

namespace tare::study_results {
namespace {

// The centre of the metric in each group of the selected cases.
std::map<std::vector<std::string>, Measured> CentresOf(const ResultSet& set,
                                                       const study::SelectedMetric& selected,
                                                       const std::vector<std::string>& by,
                                                       double confidence) {
  std::map<std::vector<std::string>, Measured> centres;
  const auto metric = set.MetricIndex(selected.metric);
  if (!metric) return centres;
  for (CaseGroup& group : GroupCases(set, by)) {
    std::erase_if(group.cases, [&](std::size_t index) {
      return std::ranges::any_of(selected.levels, [&](const auto& level) {
        return set.Cases()[index].levels[set.FactorIndex(level.first)] != level.second;
      });
    });
    const GroupValues values = ValuesOf(set, group, *metric);
    if (values.values.empty()) continue;
    centres[group.levels] =
        CentreOf(values.values, false, confidence, set.DoubtOf(values.runs, *metric));
  }
  return centres;
}

// The interval follows from both intervals: the ends of the ratio.
Measured ErrorOf(const Measured& predicted, const Measured& measured) {
  if (!(measured.Value() > 0)) return Absent("the measured value is not above 0");
  Measured error = Unbounded(predicted.Value() / measured.Value() - 1);
  if (measured.HasInterval() && measured.Low() > 0) {
    error = Between(error.Value(), predicted.Low() / measured.High() - 1,
                    predicted.High() / measured.Low() - 1, measured.confidence.value_or(0.95));
  }
  const Measured& worse = predicted.verdict > measured.verdict ? predicted : measured;
  return worse.verdict == Verdict::kValid ? error : Doubtful(error, worse.reason);
}

}  // namespace

PredictionErrors ComparePredictions(const ResultSet& set, const study::SelectedMetric& predicted,
                                    const study::SelectedMetric& measured,
                                    const std::vector<std::string>& by, double confidence) {
  PredictionErrors errors;
  const auto predictions = CentresOf(set, predicted, by, confidence);
  const auto measurements = CentresOf(set, measured, by, confidence);
  std::vector<double> absolute;
  for (const CaseGroup& group : GroupCases(set, by)) {
    const auto a = predictions.find(group.levels);
    const auto b = measurements.find(group.levels);
    if (a == predictions.end() || b == measurements.end()) continue;
    PredictionError row{group.levels, a->second, b->second, ErrorOf(a->second, b->second)};
    if (row.error.value) absolute.push_back(std::abs(row.error.Value()));
    errors.rows.push_back(std::move(row));
  }
  if (absolute.empty()) return errors;
  errors.max_error = *std::ranges::max_element(absolute);
  errors.median_error = stats::MedianOf(absolute);
  return errors;
}

}  // namespace tare::study_results
