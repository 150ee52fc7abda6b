// study_metrics.cc: which metrics each engine gives.
#include "analysis/study/study_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "base/near_match.h"
#include "base/printable.h"
#include "machine/pmu/program_metrics.h"
#include "measure/count/instruction_metric.h"
#include "measure/engine/engine.h"
#include "model/core/model_event.h"

namespace tare::study {
namespace {

// What CaseRunner stores of a timed run.
constexpr auto kTimedMetrics = std::to_array<std::string_view>(
    {"wall", "user", "sys", "minor-faults", "major-faults", "voluntary-switches",
     "involuntary-switches", "max-rss", kOtherPrograms, kStolenTime});

// What a study's engines and [[metric]] tables can give; `timed` only of the engine time.
std::vector<std::string_view> GivenMetrics(const Study& study, bool timed) {
  std::vector<std::string_view> names;
  const auto add = [&](const auto& rows, auto name) {
    for (const auto& row : rows) names.push_back(std::invoke(name, row));
  };
  for (const StudyEngine& used : study.engines) {
    const auto engine = engine::ParseEngine(used.name);
    if (!engine) {
      names.insert(names.end(), kTimedMetrics.begin(), kTimedMetrics.end());
      for (const OutputMetric& metric : study.output_metrics) {
        if (metric.from != OutputMetric::From::kExpression) names.push_back(metric.name);
      }
    } else if (timed) {
      continue;
    } else if (*engine == engine::Engine::kHardware) {
      add(pmu::HardwareMetrics(), &pmu::MetricRow::metric);
    } else if (*engine == engine::Engine::kKernel) {
      add(pmu::KernelMetrics(), &pmu::MetricRow::metric);
    } else {
      add(count::MetricTable(), &count::MetricText::id);
      if (engine::Row(*engine).needs_processor) add(model::EventTable(), &model::EventText::id);
    }
  }
  // Computed by the report.
  for (const OutputMetric& metric : study.output_metrics) {
    if (!timed && metric.from == OutputMetric::From::kExpression) names.push_back(metric.name);
  }
  std::ranges::sort(names);
  const auto [first, last] = std::ranges::unique(names);
  names.erase(first, last);
  return names;
}

}  // namespace

Result<void> RequireMetrics(const TomlTable& table, std::string_view key,
                            std::span<const std::string> metrics, const Study& study, bool timed) {
  const auto given = GivenMetrics(study, timed);
  for (const std::string& metric : metrics) {
    if (std::ranges::find(given, metric) != given.end()) continue;
    return table.FailAtKey(
        key, fmt::format("no engine of this study gives the metric '{}'{}", Printable(metric),
                         DidYouMeanOrAll(metric, given, "there are")));
  }
  return {};
}

bool IsGiven(const Study& study, std::string_view metric) {
  return std::ranges::binary_search(GivenMetrics(study, false), metric);
}

Result<void> RequirePrecision(const TomlTable& root, const Study& study) {
  if (!study.precision) return {};
  const bool is_timed =
      std::ranges::find(study.engines, "time", &StudyEngine::name) != study.engines.end();
  if (!is_timed) {
    return root.FailAtKey("precision",
                          "[precision] needs the engine time: counts are repeated 'runs' times");
  }
  TRY(const auto table, root.Table("precision"));
  const std::vector<std::string> metrics = {study.precision->metric};
  return RequireMetrics(*table, "metric", metrics, study, true);
}

}  // namespace tare::study
