// level_deviation.cc: runs as counts of machines.
#include "analysis/study_results/level_deviation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <utility>

#include "analysis/study_results/group_summary.h"

namespace tare::study_results {
namespace {

// Times are compared as nanoseconds, so that the whole part has the precision.
double ScaleOf(const std::string& unit) { return unit == "s" ? 1e9 : 1; }

machines::CountValue AsCount(double value) {
  const double whole = std::floor(value);
  return {static_cast<std::int64_t>(whole), value - whole};
}

}  // namespace

Result<LevelDeviations> CompareDeviations(const ResultSet& set, const DeviationRequest& request) {
  LevelDeviations deviations;
  deviations.scale = ScaleOf(set.Stored().metrics[request.metric].unit);
  machines::CountSet counts;
  std::map<std::string, std::vector<std::string>> levels_of;
  for (const CaseGroup& group : GroupCases(set, request.by)) {
    const std::string benchmark = fmt::format("{}", fmt::join(group.levels, ", "));
    levels_of[benchmark] = group.levels;
    for (const std::size_t index : group.cases) {
      for (const std::size_t run : set.Cases()[index].runs) {
        const auto value = set.Value(run, request.metric);
        if (!value || *value < 0 || *value * deviations.scale > 9e18) continue;
        machines::CountRow row;
        row.benchmark = benchmark;
        row.machine = request.level_of(run);
        if (row.machine.empty()) continue;  // the factor does not apply
        row.run = std::to_string(run);
        row.count = AsCount(*value * deviations.scale);
        counts.rows.push_back(std::move(row));
      }
    }
  }
  if (counts.rows.empty()) return Fail(ErrorKind::kUsage, "no run has the metric yet");
  machines::CompareOptions options{{}, request.confidence};
  // Levels that are not run yet cannot be left out of a mean.
  for (const std::string& level : request.excluded) {
    for (const machines::CountRow& row : counts.rows) {
      if (row.machine != level) continue;
      options.excluded.push_back(level);
      break;
    }
  }
  TRY(deviations.comparison, machines::Compare(counts, options));
  for (const machines::BenchmarkResult& benchmark : deviations.comparison.benchmarks) {
    deviations.levels.push_back(levels_of[benchmark.benchmark]);
  }
  return deviations;
}

std::function<std::string(std::size_t run)> LevelOfFactor(const ResultSet& set,
                                                          const std::string& factor) {
  std::map<std::size_t, std::string> levels;
  const std::size_t column = set.FactorIndex(factor);
  for (const ResultCase& one : set.Cases()) {
    for (const std::size_t run : one.runs) {
      levels[run] = column < one.levels.size() ? one.levels[column] : "";
    }
  }
  return [levels = std::move(levels)](std::size_t run) { return levels.at(run); };
}

}  // namespace tare::study_results
