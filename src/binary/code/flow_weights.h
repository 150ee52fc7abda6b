// flow_weights.h: what an execution of each counter is worth if every block of a function has a
// cost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "binary/code/flow_counts.h"
#include "binary/code/flow_graph.h"

namespace tare::code {

struct FlowWeights {
  std::vector<double> counters;  // in the order of the counted blocks
  // How far the sum of weights times counters can be from the cost of the given flow.
  double unexplained = 0;
};

// For every flow through the graph, the sum of weights times counters is the sum of costs times
// executions, as far as the counters determine the executions. Where they do not, `counts`, one
// typical flow, decides: the most frequent blocks are right. Method: docs/methods/replay.md.
FlowWeights WeightsOf(const FlowGraph& graph, std::span<const CountedBlocks> counted,
                      std::span<const double> costs, const FlowCounts& counts);

}  // namespace tare::code
