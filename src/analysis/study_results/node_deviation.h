// node_deviation.h: which nodes are slow, and which counters disagree between nodes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/study_results/result_set.h"
#include "base/measured.h"
#include "base/result.h"

namespace tare::study_results {

struct NodeDeviation {
  std::string node;
  std::size_t metric = 0;
  std::vector<std::string> levels;  // of the case, without the node
  std::size_t runs = 0;
  Measured deviation;  // of its mean from the mean of all nodes, relative
  bool outlier = false;
};

// By the comparison of machines (analysis/machines), case by case. kUsage if all runs are of one
// node.
Result<std::vector<NodeDeviation>> CompareNodes(const ResultSet& set,
                                                const std::vector<std::string>& by,
                                                const std::vector<std::size_t>& metrics,
                                                double confidence);

}  // namespace tare::study_results
