// block_times_test.cc: tests the time of one execution of pieces of code.
#include "predict/convolve/block_times.h"

#include <gtest/gtest.h>

#include "predict/convolve/prediction.h"
#include "tests/unit/predict/convolve/example_signature.h"

namespace tare::convolve {
namespace {

using signature::Block;
using signature::Grid;

Block At(Block block, std::uint64_t offset, std::uint32_t bytes,
         std::uint32_t loop = signature::kNoLoop) {
  block.offset = offset;
  block.bytes = bytes;
  block.loop = loop;
  return block;
}

MachineRates ExampleRates() {
  auto rates = RatesOf(ExampleMachine());
  EXPECT_TRUE(rates);
  return *rates;
}

// 1 GHz: an addition takes 4 ns.
TEST(BlockTimes, ABlockTakesItsChain) {
  const Grid grid;
  const auto signature = SignatureOf({At(ArithmeticBlock(grid, 1000, 3), 0x100, 16)});
  const BlockTimes times(signature, 0, ExampleRates());
  EXPECT_NEAR(times.Seconds(0x100, 16), 12e-9, 1e-12);
  EXPECT_NEAR(times.Seconds(0x104, 4), 3e-9, 1e-12);  // a quarter of its bytes
  EXPECT_NEAR(times.Total(), 12e-6, 1e-9);
}

TEST(BlockTimes, BlocksOfALoopAddUpToWhatIsPredictedForIt) {
  const Grid grid;
  signature::Loop loop;
  const auto signature = SignatureOf(
      {At(ArithmeticBlock(grid, 1000, 3), 0x100, 16, 0), At(StreamBlock(grid, 8000), 0x110, 32, 0)},
      {loop});
  const MachineRates rates = ExampleRates();
  const BlockTimes times(signature, 0, rates);
  const double whole = PredictSeconds(WorkOf(signature), rates);
  EXPECT_NEAR(1000 * times.Seconds(0x100, 16) + 1000 * times.Seconds(0x110, 32), whole,
              whole * 1e-9);
  EXPECT_GT(times.Seconds(0x110, 32), 0);
}

// Two blocks that begin at different places and end together, as superblocks do.
TEST(BlockTimes, OverlappingBlocksShareTheirCommonCode) {
  const Grid grid;
  const auto signature = SignatureOf({At(ArithmeticBlock(grid, 1000, 4), 0x100, 16),
                                      At(ArithmeticBlock(grid, 3000, 2), 0x108, 8)});
  const BlockTimes times(signature, 0, ExampleRates());
  // Per byte: 16 ns / 16 and 8 ns / 8; the common bytes ran 4000 times.
  const double total = 1000 * times.Seconds(0x100, 8) + 4000 * times.Seconds(0x108, 8);
  EXPECT_NEAR(total, times.Total(), times.Total() * 1e-9);
}

TEST(BlockTimes, UnknownCodeTakesTheMean) {
  const Grid grid;
  auto signature = SignatureOf({At(ArithmeticBlock(grid, 1000, 4), 0x100, 16)});
  signature.parts[0].blocks.push_back(At(ArithmeticBlock(grid, 1000, 400), 0x300, 16));
  signature.parts[0].blocks.back().object = 1;  // of another file
  const BlockTimes times(signature, 0, ExampleRates());
  EXPECT_NEAR(times.Seconds(0x300, 8), 8e-9, 1e-12);
  EXPECT_NEAR(times.Seconds(0x0f8, 16), 16e-9, 1e-12);
  const BlockTimes none(signature, 7, ExampleRates());
  EXPECT_EQ(none.Seconds(0x100, 16), 0);
}

}  // namespace
}  // namespace tare::convolve
