// example_graph.h: control-flow graphs for tests.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "binary/code/flow_graph.h"

namespace tare::code {

// Edges are given as pairs of blocks; kOutside is the predecessor of the entry and the successor of
// exits.
inline FlowGraph Graph(std::uint32_t blocks, std::vector<FlowEdge> edges) {
  FlowGraph graph;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    FlowBlock block;
    block.address = 16 * i;
    block.bytes = 16;
    block.instructions = 4;
    graph.blocks.push_back(block);
  }
  graph.edges = std::move(edges);
  return graph;
}

inline constexpr auto kEnter = FlowKind::kEnter;
inline constexpr auto kNext = FlowKind::kNext;
inline constexpr auto kTaken = FlowKind::kTaken;
inline constexpr auto kReturn = FlowKind::kReturn;
inline constexpr auto kLost = FlowKind::kLost;

// if (...) 1 else 2; 3
inline FlowGraph Diamond() {
  return Graph(4, {{kOutside, 0, kEnter},
                   {0, 1, kNext},
                   {0, 2, kTaken},
                   {1, 3, kTaken},
                   {2, 3, kNext},
                   {3, kOutside, kReturn}});
}

}  // namespace tare::code
