// node_deviation.cc: deviations of nodes, relative to the mean of all.
#include "analysis/study_results/node_deviation.h"

#include <utility>

#include "analysis/study_results/level_deviation.h"

namespace tare::study_results {

Result<std::vector<NodeDeviation>> CompareNodes(const ResultSet& set,
                                                const std::vector<std::string>& by,
                                                const std::vector<std::size_t>& metrics,
                                                double confidence) {
  if (set.Stored().nodes.size() < 2) {
    return Fail(ErrorKind::kUsage, "all runs are of one node, so nodes cannot be compared");
  }
  std::vector<NodeDeviation> rows;
  for (const std::size_t metric : metrics) {
    const auto deviations =
        CompareDeviations(set, {by, metric, {}, confidence, [&](std::size_t run) {
                                  return set.Stored().nodes[set.Stored().runs[run].node];
                                }});
    if (!deviations) continue;
    const machines::Comparison& comparison = deviations->comparison;
    for (std::size_t b = 0; b < comparison.benchmarks.size(); ++b) {
      const machines::BenchmarkResult& benchmark = comparison.benchmarks[b];
      const double mean = static_cast<double>(benchmark.mean.whole) + benchmark.mean.rest;
      for (std::size_t m = 0; m < comparison.machines.size(); ++m) {
        if (!benchmark.machines[m] || !(mean > 0)) continue;
        const machines::MachineResult& result = *benchmark.machines[m];
        NodeDeviation row{comparison.machines[m],         metric,
                          deviations->levels[b],          static_cast<std::size_t>(result.runs),
                          Scaled(result.delta, 1 / mean), result.outlier};
        row.deviation.exact = false;
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

}  // namespace tare::study_results
