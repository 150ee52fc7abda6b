// block_vectors_test.cc: tests the frequency vectors of SimPoint.
#include "predict/signature/block_vectors.h"

#include <gtest/gtest.h>

namespace tare::signature {
namespace {

format::Block VectorBlock(std::uint64_t number, std::uint32_t instructions) {
  format::Block block;
  block.number = number;
  block.instructions = instructions;
  return block;
}

TEST(BlockVectors, AreInstructionsByBlockFromOne) {
  Collected collected;
  collected.recordings.emplace_back();
  collected.recordings[0].blocks = {VectorBlock(0, 3), VectorBlock(4, 10)};
  collected.vectors = {{{{0, 7}, {4, 2}}}, {{{4, 1}}}, {}};
  EXPECT_EQ(FormatBlockVectors(collected), "T:1:21 :5:20 \nT:5:10 \nT\n");
}

TEST(BlockVectors, OfNothingAreEmpty) { EXPECT_EQ(FormatBlockVectors({}), ""); }

}  // namespace
}  // namespace tare::signature
