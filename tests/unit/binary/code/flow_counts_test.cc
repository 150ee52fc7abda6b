// flow_counts_test.cc: tests the derivation of execution counts from a few counted blocks and
// edges.
#include "binary/code/flow_counts.h"

#include <gtest/gtest.h>

#include "tests/unit/binary/code/example_graph.h"

namespace tare::code {
namespace {

TEST(SolveFlow, TheOtherSideOfADiamondFollows) {
  const std::vector<CountedBlocks> counted = {{{0}, 100}, {{1}, 30}};
  const FlowCounts counts = SolveFlow(Diamond(), counted, {});
  ASSERT_TRUE(counts.consistent);
  EXPECT_EQ(counts.block_counts, (std::vector<std::uint64_t>{100, 30, 70, 100}));
  for (const CountBounds& bounds : counts.blocks) EXPECT_TRUE(bounds.IsExact());
}

TEST(SolveFlow, OneCounterInTwoPlacesCountsTheirSum) {
  const std::vector<CountedBlocks> counted = {{{1, 2}, 100}, {{2}, 60}};
  const FlowCounts counts = SolveFlow(Diamond(), counted, {});
  ASSERT_TRUE(counts.consistent);
  EXPECT_EQ(counts.block_counts, (std::vector<std::uint64_t>{100, 40, 60, 100}));
}

TEST(SolveFlow, UndeterminedCountsStayBetweenBounds) {
  const std::vector<CountedBlocks> counted = {{{0}, 100}};
  const FlowCounts counts = SolveFlow(Diamond(), counted, {});
  ASSERT_TRUE(counts.consistent);
  EXPECT_EQ(counts.blocks[1].low, 0u);
  EXPECT_EQ(counts.blocks[1].high, 100u);
  EXPECT_TRUE(counts.blocks[3].IsExact());
  EXPECT_EQ(counts.block_counts[1] + counts.block_counts[2], 100u);
}

TEST(SolveFlow, ALoopIsCountedByItsWayBack) {
  const FlowGraph graph = Graph(3, {{kOutside, 0, kEnter},
                                    {0, 1, kNext},
                                    {1, 1, kTaken},
                                    {1, 2, kNext},
                                    {2, kOutside, kReturn}});
  const std::vector<CountedBlocks> counted = {{{0}, 7}, {{1}, 1000}};
  const FlowCounts counts = SolveFlow(graph, counted, {});
  ASSERT_TRUE(counts.consistent);
  EXPECT_EQ(counts.edge_counts[2], 993u);
  EXPECT_EQ(counts.block_counts[2], 7u);
}

TEST(SolveFlow, ALoopThatNothingEntersDidNotRun) {
  const FlowGraph graph = Graph(3, {{kOutside, 0, kEnter},
                                    {0, 1, kNext},
                                    {1, 1, kTaken},
                                    {1, 2, kNext},
                                    {2, kOutside, kReturn}});
  const std::vector<CountedBlocks> counted = {{{0}, 0}};
  const FlowCounts counts = SolveFlow(graph, counted, {});
  ASSERT_TRUE(counts.consistent);
  EXPECT_EQ(counts.blocks[1].high, 0u);
}

// Block 0 calls; block 1 follows the call.
FlowGraph WithCall() {
  return Graph(
      2, {{kOutside, 0, kEnter}, {0, 1, kNext}, {0, kOutside, kLost}, {1, kOutside, kReturn}});
}

TEST(SolveFlow, NothingIsLostWhereAsManyLeaveAsEnter) {
  const std::vector<CountedBlocks> counted = {{{0}, 9}, {{1}, 9}};
  const FlowCounts counts = SolveFlow(WithCall(), counted, {});
  ASSERT_TRUE(counts.consistent);
  EXPECT_EQ(counts.edges[2].high, 0u);
}

TEST(SolveFlow, ALimitDecidesWhereACallWasLost) {
  FlowGraph graph = Graph(3, {{kOutside, 0, kEnter},
                              {0, 1, kNext},
                              {0, kOutside, kLost},
                              {1, 2, kNext},
                              {1, kOutside, kLost},
                              {2, kOutside, kReturn}});
  const std::vector<CountedBlocks> counted = {{{0}, 5}, {{2}, 4}};
  EXPECT_FALSE(SolveFlow(graph, counted, {}).blocks[1].IsExact());
  const std::vector<EdgeLimit> limits = {{4, 0}};
  const FlowCounts counts = SolveFlow(graph, counted, limits);
  ASSERT_TRUE(counts.consistent);
  EXPECT_EQ(counts.block_counts, (std::vector<std::uint64_t>{5, 4, 4}));
}

TEST(SolveFlow, CountersThatContradictEachOtherAreNoticed) {
  const std::vector<CountedBlocks> counted = {{{0}, 10}, {{1}, 8}, {{2}, 8}};
  EXPECT_FALSE(SolveFlow(Diamond(), counted, {}).consistent);
}

TEST(SolveFlow, AnImpossibleCounterDoesNotOverflow) {
  const std::vector<CountedBlocks> counted = {{{0}, UINT64_MAX}, {{1}, 1}};
  const FlowCounts counts = SolveFlow(Diamond(), counted, {});
  ASSERT_TRUE(counts.consistent);
  EXPECT_EQ(counts.block_counts[1], 1u);
}

}  // namespace
}  // namespace tare::code
