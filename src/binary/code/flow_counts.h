// flow_counts.h: execution counts of all blocks of a function, from the few that were counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "binary/code/flow_graph.h"

namespace tare::code {

inline constexpr std::uint64_t kUnboundedCount = UINT64_MAX;

struct CountBounds {
  std::uint64_t low = 0;
  std::uint64_t high = kUnboundedCount;
  bool IsExact() const { return low == high; }
};

// The executions of these blocks add up to `sum`.
struct CountedBlocks {
  std::vector<std::uint32_t> blocks;
  std::uint64_t sum = 0;
};

struct EdgeLimit {
  std::uint32_t edge = 0;
  std::uint64_t most = 0;
};

struct FlowCounts {
  std::vector<CountBounds> blocks;  // in the order of the graph
  std::vector<CountBounds> edges;
  // One flow that satisfies all constraints. Undetermined values are the middle of their bounds, or
  // the minimum where there is no upper bound.
  std::vector<std::uint64_t> block_counts;
  std::vector<std::uint64_t> edge_counts;
  bool consistent = true;  // false: no flow agrees with the counts
};

// The flow into a block equals its executions and the flow out of it. Method:
// docs/methods/compiled-counts.md.
FlowCounts SolveFlow(const FlowGraph& graph, std::span<const CountedBlocks> counted,
                     std::span<const EdgeLimit> limits);

}  // namespace tare::code
