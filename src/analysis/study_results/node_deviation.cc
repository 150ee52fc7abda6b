// node_deviation.cc: counts of each node as the rows that the comparison of machines takes.
#include "analysis/study_results/node_deviation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/machines/count_comparison.h"
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

Result<std::vector<NodeDeviation>> CompareNodes(const ResultSet& set,
                                                const std::vector<std::string>& by,
                                                const std::vector<std::size_t>& metrics,
                                                double confidence) {
  if (set.Stored().nodes.size() < 2) {
    return Fail(ErrorKind::kUsage, "all runs are of one node, so nodes cannot be compared");
  }
  std::vector<NodeDeviation> rows;
  const auto groups = GroupCases(set, by);
  for (const std::size_t metric : metrics) {
    const double scale = ScaleOf(set.Stored().metrics[metric].unit);
    machines::CountSet counts;
    std::map<std::string, std::size_t> group_of;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::string benchmark = fmt::format("{}", fmt::join(groups[g].levels, ", "));
      group_of[benchmark] = g;
      for (const std::size_t index : groups[g].cases) {
        for (const std::size_t run : set.Cases()[index].runs) {
          const auto value = set.Value(run, metric);
          if (!value || *value < 0 || *value * scale > 9e18) continue;
          machines::CountRow row;
          row.benchmark = benchmark;
          row.machine = set.Stored().nodes[set.Stored().runs[run].node];
          row.run = std::to_string(run);
          row.count = AsCount(*value * scale);
          counts.rows.push_back(std::move(row));
        }
      }
    }
    if (counts.rows.empty()) continue;
    const auto comparison = machines::Compare(counts, {{}, confidence});
    if (!comparison) continue;
    for (const machines::BenchmarkResult& benchmark : comparison->benchmarks) {
      const double mean = static_cast<double>(benchmark.mean.whole) + benchmark.mean.rest;
      for (std::size_t m = 0; m < comparison->machines.size(); ++m) {
        if (!benchmark.machines[m] || !(mean > 0)) continue;
        const machines::MachineResult& result = *benchmark.machines[m];
        NodeDeviation row{comparison->machines[m],
                          metric,
                          groups[group_of[benchmark.benchmark]].levels,
                          static_cast<std::size_t>(result.runs),
                          Scaled(result.delta, 1 / mean),
                          result.outlier};
        row.deviation.exact = false;
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

}  // namespace tare::study_results
