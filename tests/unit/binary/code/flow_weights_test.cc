// flow_weights_test.cc: tests that weights times counters give the cost of any flow.
#include "binary/code/flow_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/binary/code/example_graph.h"

namespace tare::code {
namespace {

// One call of the function: the blocks that it passes.
FlowCounts CountsOf(const FlowGraph& graph, const std::vector<std::vector<std::uint32_t>>& walks) {
  FlowCounts counts;
  counts.block_counts.assign(graph.blocks.size(), 0);
  counts.edge_counts.assign(graph.edges.size(), 0);
  const auto pass = [&](std::uint32_t from, std::uint32_t to) {
    const auto edge = std::ranges::find_if(
        graph.edges, [&](const FlowEdge& one) { return one.from == from && one.to == to; });
    ASSERT_NE(edge, graph.edges.end()) << from << " to " << to;
    ++counts.edge_counts[static_cast<std::size_t>(edge - graph.edges.begin())];
  };
  for (const auto& walk : walks) {
    std::uint32_t before = kOutside;
    for (const std::uint32_t block : walk) {
      pass(before, block);
      ++counts.block_counts[block];
      before = block;
    }
    pass(before, kOutside);
  }
  return counts;
}

double CostOf(const FlowCounts& counts, std::span<const double> costs) {
  double sum = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    sum += costs[i] * static_cast<double>(counts.block_counts[i]);
  }
  return sum;
}

double WeighedCost(const FlowCounts& counts, std::span<const CountedBlocks> counted,
                   const FlowWeights& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    for (const std::uint32_t block : counted[i].blocks) {
      sum += weights.counters[i] * static_cast<double>(counts.block_counts[block]);
    }
  }
  return sum;
}

TEST(WeightsOf, BlocksWithoutCountersArePaidByThoseThatHaveSome) {
  const FlowGraph graph = Diamond();
  const std::vector<CountedBlocks> counted = {{{0}, 0}, {{1}, 0}};
  const std::vector<double> costs = {1, 10, 100, 1000};
  const auto weights = WeightsOf(graph, counted, costs, CountsOf(graph, {{0, 1, 3}}));
  // Everybody pays for 0, 2 and 3; who passes 1 instead of 2 gets 90 back.
  EXPECT_NEAR(weights.counters[0], 1101, 1e-9);
  EXPECT_NEAR(weights.counters[1], -90, 1e-9);
  EXPECT_NEAR(weights.unexplained, 0, 1e-9);
  const FlowCounts other = CountsOf(graph, {{0, 2, 3}, {0, 2, 3}, {0, 1, 3}});
  EXPECT_NEAR(WeighedCost(other, counted, weights), CostOf(other, costs), 1e-9);
}

TEST(WeightsOf, ALoopPaysByItsOwnCounter) {
  const FlowGraph graph = Graph(3, {{kOutside, 0, kEnter},
                                    {0, 1, kNext},
                                    {1, 1, kTaken},
                                    {1, 2, kNext},
                                    {2, kOutside, kReturn}});
  const std::vector<CountedBlocks> counted = {{{2}, 0}, {{1}, 0}};
  const std::vector<double> costs = {3, 5, 7};
  const auto weights = WeightsOf(graph, counted, costs, CountsOf(graph, {{0, 1, 1, 1, 2}}));
  EXPECT_NEAR(weights.counters[0], 10, 1e-9);
  EXPECT_NEAR(weights.counters[1], 5, 1e-9);
}

TEST(WeightsOf, ACounterThatABlockIncrementsTwiceIsWorthHalf) {
  const FlowGraph graph = Graph(1, {{kOutside, 0, kEnter}, {0, kOutside, kReturn}});
  const std::vector<CountedBlocks> counted = {{{0, 0}, 0}};
  const std::vector<double> costs = {8};
  const auto weights = WeightsOf(graph, counted, costs, CountsOf(graph, {{0}}));
  EXPECT_NEAR(weights.counters[0], 4, 1e-9);
  EXPECT_NEAR(weights.unexplained, 0, 1e-9);
}

TEST(WeightsOf, OneCounterOfTwoCopiesIsWorthTheirMean) {
  const FlowGraph graph = Diamond();
  const std::vector<CountedBlocks> counted = {{{1, 2}, 0}};
  const std::vector<double> costs = {0, 10, 40, 0};
  // Block 1 three times as often as 2.
  const FlowCounts counts = CountsOf(graph, {{0, 1, 3}, {0, 1, 3}, {0, 1, 3}, {0, 2, 3}});
  const auto weights = WeightsOf(graph, counted, costs, counts);
  EXPECT_NEAR(WeighedCost(counts, counted, weights), CostOf(counts, costs), 1e-9);
  EXPECT_NEAR(weights.unexplained, 3 * 7.5 + 22.5, 1e-9);
}

// A call that could stay away does not: its edge must not spoil the weights.
TEST(WeightsOf, EdgesThatNobodyTookGiveWay) {
  const FlowGraph graph = Graph(3, {{kOutside, 0, kEnter},
                                    {0, 1, kNext},
                                    {0, kOutside, kLost},
                                    {1, 2, kNext},
                                    {2, kOutside, kReturn}});
  const std::vector<CountedBlocks> counted = {{{0}, 0}};
  const std::vector<double> costs = {1, 2, 3};
  const FlowCounts counts = CountsOf(graph, {{0, 1, 2}, {0, 1, 2}});
  const auto weights = WeightsOf(graph, counted, costs, counts);
  EXPECT_NEAR(weights.counters[0], 6, 1e-9);
  EXPECT_NEAR(weights.unexplained, 0, 1e-9);
}

TEST(WeightsOf, WhatCountersDoNotDetermineIsStated) {
  const FlowGraph graph = Diamond();
  const std::vector<CountedBlocks> counted = {{{0}, 0}};
  const std::vector<double> costs = {0, 10, 40, 0};
  const FlowCounts counts = CountsOf(graph, {{0, 1, 3}, {0, 1, 3}, {0, 2, 3}});
  const auto weights = WeightsOf(graph, counted, costs, counts);
  EXPECT_NEAR(weights.counters[0], 10, 1e-9);  // the frequent side
  EXPECT_NEAR(weights.unexplained, 30, 1e-9);  // once, the other side was passed
}

// Random graphs in which every block but those of a spanning tree of the points between them has a
// counter: weights that come from some walks give the cost of others.
TEST(WeightsOf, HoldsForEveryFlowOfRandomGraphs) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  for (int round = 0; round < 100; ++round) {
    const std::uint32_t blocks = 2 + below(12);
    std::vector<FlowEdge> edges = {{kOutside, 0, kEnter}, {blocks - 1, kOutside, kReturn}};
    for (std::uint32_t i = 0; i + 1 < blocks; ++i) {
      edges.push_back({i, i + 1, kNext});
      const std::uint32_t to = below(blocks);
      if (to != i + 1 && below(2) == 0) edges.push_back({i, to, kTaken});
    }
    const FlowGraph graph = Graph(blocks, edges);
    const auto walks = [&] {
      std::vector<std::vector<std::uint32_t>> all;
      while (all.size() < 20) {
        std::vector<std::uint32_t> walk;
        for (std::uint32_t at = 0; at != kOutside;) {
          walk.push_back(at);
          std::vector<std::uint32_t> next;
          for (const FlowEdge& edge : graph.edges) {
            if (edge.from == at) next.push_back(edge.to);
          }
          at = next[below(static_cast<std::uint32_t>(next.size()))];
        }
        all.push_back(std::move(walk));
      }
      return all;
    };
    std::vector<double> costs;
    for (std::uint32_t i = 0; i < blocks; ++i) costs.push_back(1 + below(100));
    // Blocks are arcs between points; those that would close a cycle get a counter.
    std::vector<std::uint32_t> group(2 * blocks + 1);
    for (std::uint32_t i = 0; i < group.size(); ++i) group[i] = i;
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t from = group[a];
      const std::uint32_t to = group[b];
      std::ranges::replace(group, from, to);
      return from != to;
    };
    for (const FlowEdge& edge : graph.edges) {
      join(edge.from == kOutside ? 2 * blocks : 2 * edge.from + 1,
           edge.to == kOutside ? 2 * blocks : 2 * edge.to);
    }
    std::vector<CountedBlocks> counted;
    for (std::uint32_t i = 0; i < blocks; ++i) {
      if (!join(2 * i, 2 * i + 1)) counted.push_back({{i}, 0});
    }
    const auto weights = WeightsOf(graph, counted, costs, CountsOf(graph, walks()));
    EXPECT_NEAR(weights.unexplained, 0, 1e-6);
    const FlowCounts other = CountsOf(graph, walks());
    EXPECT_NEAR(WeighedCost(other, counted, weights), CostOf(other, costs), 1e-6) << round;
  }
}

}  // namespace
}  // namespace tare::code
