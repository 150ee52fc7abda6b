// loop_work_test.cc: tests that blocks are added up by loop.
#include "predict/convolve/loop_work.h"

#include <gtest/gtest.h>

#include "tests/unit/predict/convolve/example_signature.h"

namespace tare::convolve {
namespace {

using signature::Block;
using signature::Grid;

TEST(WorkOf, CombinesTheBlocksOfALoop) {
  const Grid grid;
  Block first = StreamBlock(grid, 8000);
  Block second = MissBlock(grid, 1000, true);
  first.loop = second.loop = 0;
  second.mispredictions = 7;
  signature::Loop loop;
  loop.function = "multiply";
  loop.file = "spmv.c";
  loop.line = 12;
  const auto work = WorkOf(SignatureOf({first, second}, {loop}));
  ASSERT_EQ(work.loops.size(), 1U);
  const LoopWork& sum = work.loops[0];
  EXPECT_TRUE(sum.is_loop);
  EXPECT_EQ(sum.function, "multiply");
  EXPECT_EQ(sum.line, 12U);
  EXPECT_EQ(sum.blocks.size(), 2U);
  EXPECT_DOUBLE_EQ(sum.instructions, 1000 * 10 + 1000 * 3);
  EXPECT_DOUBLE_EQ(sum.work[IndexOf(signature::Work::kLoad)], 9000);
  EXPECT_DOUBLE_EQ(sum.chained_loads, 1000);
  EXPECT_DOUBLE_EQ(sum.loaded_stream_lines, 1000);
  EXPECT_DOUBLE_EQ(sum.stored_stream_lines, 0);
  EXPECT_DOUBLE_EQ(sum.mispredictions, 7);
  EXPECT_EQ(sum.reuse.References(), 9000U);
  EXPECT_DOUBLE_EQ(sum.reuse.far.at_distance[signature::DistanceBin(kFarLines)], 2000);
}

TEST(WorkOf, KeepsFunctionsApartOutsideOfLoops) {
  const Grid grid;
  Block first = ArithmeticBlock(grid, 100, 1);
  Block second = ArithmeticBlock(grid, 300, 1);
  second.function = "other";
  const auto work = WorkOf(SignatureOf({first, second}));
  ASSERT_EQ(work.loops.size(), 2U);
  EXPECT_EQ(work.loops[0].function, "other");
  EXPECT_FALSE(work.loops[0].is_loop);
}

TEST(WorkOf, AddsSmallLoopsToTheRest) {
  const Grid grid;
  std::vector<Block> blocks = {ArithmeticBlock(grid, 1000000, 1)};
  for (int i = 0; i < 5; ++i) {
    blocks.push_back(ArithmeticBlock(grid, 10, 1));
    blocks.back().function = "small " + std::to_string(i);
  }
  const auto work = WorkOf(SignatureOf(blocks));
  ASSERT_EQ(work.loops.size(), 2U);
  EXPECT_EQ(work.loops[1].function, "(other code)");
  EXPECT_EQ(work.loops[1].blocks.size(), 5U);
  EXPECT_DOUBLE_EQ(work.loops[0].instructions + work.loops[1].instructions, work.instructions);
  EXPECT_EQ(work.loops[0].reuse.References() + work.loops[1].reuse.References(), 1000050U);
}

TEST(WorkOf, CountsThreadsOnce) {
  const Grid grid;
  auto signature = SignatureOf({ArithmeticBlock(grid, 100, 1)});
  for (const std::uint64_t thread : {1U, 2U}) {
    signature.parts.push_back(signature.parts.front());
    signature.parts.back().thread = thread;
  }
  const auto work = WorkOf(signature);
  EXPECT_EQ(work.loops.size(), 1U);
  ASSERT_EQ(work.caveats.size(), 1U);
  EXPECT_EQ(work.caveats[0].key, CaveatId::kOneCore);
}

TEST(WorkOf, SaysThatASignatureIsIncomplete) {
  auto signature = SignatureOf({ArithmeticBlock(Grid(), 100, 1)});
  signature.complete = false;
  const auto work = WorkOf(signature);
  ASSERT_EQ(work.caveats.size(), 1U);
  EXPECT_EQ(work.caveats[0].key, CaveatId::kIncomplete);
}

// Without a table, every reference is at depth 0.
TEST(AddReuse, TreatsAnEmptyTableAsHits) {
  const Grid grid;
  Block plain = LoadBlock(10, 1);
  Block misses = MissBlock(grid, 5, false);
  for (const bool plain_first : {true, false}) {
    Block sum;
    AddReuse(sum, plain_first ? plain : misses, grid);
    AddReuse(sum, plain_first ? misses : plain, grid);
    EXPECT_EQ(sum.References(), 15U);
    ASSERT_EQ(sum.near.at_depth.size(), grid.Shapes() * grid.Depths());
    EXPECT_EQ(sum.near.at_depth[0], 10U) << plain_first;
    EXPECT_EQ(sum.near.at_depth[grid.max_ways], 5U) << plain_first;
  }
}

// 3 and 4 are the legs of a right triangle: errors of independent samples add up in squares.
TEST(AddReuse, JoinsErrorsOfSamplesInSquares) {
  Block first;
  Block second;
  first.far.beyond_error = {3};
  second.far.beyond_error = {4, 1};
  AddReuse(first, second, Grid());
  ASSERT_EQ(first.far.beyond_error.size(), 2U);
  EXPECT_DOUBLE_EQ(first.far.beyond_error[0], 5);
  EXPECT_DOUBLE_EQ(first.far.beyond_error[1], 1);
}

}  // namespace
}  // namespace tare::convolve
