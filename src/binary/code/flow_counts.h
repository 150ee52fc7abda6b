// flow_counts.h: how often each piece of a function ran, from the few places that were counted.
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
  std::vector<CountBounds> blocks;  // as those of the graph
  std::vector<CountBounds> edges;
  // One flow that agrees with all that is known; where nothing tells, the middle of the bounds, and
  // the least of what has no bound.
  std::vector<std::uint64_t> block_counts;
  std::vector<std::uint64_t> edge_counts;
  bool consistent = true;  // otherwise no flow agrees with what was counted
};

// What flows into a block is its executions, and flows out of it. Method:
// docs/methods/compiled-counts.md.
FlowCounts SolveFlow(const FlowGraph& graph, std::span<const CountedBlocks> counted,
                     std::span<const EdgeLimit> limits);

}  // namespace tare::code
