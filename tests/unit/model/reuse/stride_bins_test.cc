// stride_bins_test.cc: references by their distance to earlier ones.
#include "model/reuse/stride_bins.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace tare::reuse {
namespace {

constexpr std::uint64_t kSite = 0x1000;

// 101 references of one instruction, so that 100 have one before them.
StrideBins::Counts StridesOf(auto address, unsigned depth = 8) {
  StrideBins bins(depth);
  for (std::uint64_t i = 0; i <= 100; ++i) bins.Reference(kSite, address(i), 8, false, 1);
  EXPECT_EQ(bins.CountsOf(1).Sum(), 100U);
  EXPECT_EQ(bins.CountsOf(2).Sum(), 0U);
  return bins.CountsOf(1);
}

TEST(StrideBins, RecognizeSteps) {
  EXPECT_EQ(StridesOf([](std::uint64_t) { return std::uint64_t{640}; }).same, 100U);
  EXPECT_EQ(StridesOf([](std::uint64_t i) { return 8 * i; }).one, 100U);
  EXPECT_EQ(StridesOf([](std::uint64_t i) { return 10'000 - 8 * i; }).one, 100U);
  EXPECT_EQ(StridesOf([](std::uint64_t i) { return 16 * i; }).two, 100U);
  EXPECT_EQ(StridesOf([](std::uint64_t i) { return 64 * i; }).three_to_eight, 100U);
  const auto large = StridesOf([](std::uint64_t i) { return 4096 * i; });
  EXPECT_EQ(large.larger, 99U);
  EXPECT_EQ(large.random, 1U);  // the first step repeats nothing
}

TEST(StrideBins, RecognizeRandomAddresses) {
  std::mt19937_64 random(1);
  EXPECT_GE(StridesOf([&](std::uint64_t) { return random() % (1 << 30); }).random, 99U);
}

// Two arrays in turns: with one earlier reference nothing is regular, with two everything is.
TEST(StrideBins, LookBackSeveralReferences) {
  const auto in_turns = [](std::uint64_t i) { return i % 2 * 1'000'000 + i / 2 * 8; };
  EXPECT_EQ(StridesOf(in_turns, 1).one, 0U);
  EXPECT_EQ(StridesOf(in_turns, 2).one, 99U);
}

// Instruction A reads what instruction B read before: the block has stride 0.
TEST(StrideBins, CompareWithTheWholeBlock) {
  StrideBins bins(4);
  for (std::uint64_t i = 0; i <= 50; ++i) {
    bins.Reference(kSite, 4096 * i * i, 8, false, 1);
    bins.Reference(kSite + 4, 4096 * i * i, 8, false, 1);
  }
  EXPECT_EQ(bins.CountsOf(1).same, 51U);
}

// A stream comes to another line with every eighth word.
TEST(StrideBins, CountLinesOfStreams) {
  const auto stream = StridesOf([](std::uint64_t i) { return 8 * i; });
  EXPECT_EQ(stream.stream_loads, 12U);
  EXPECT_EQ(stream.stream_stores, 0U);
  const auto strided = StridesOf([](std::uint64_t i) { return 4096 * i; });
  EXPECT_EQ(strided.stream_loads, 0U);
  EXPECT_EQ(strided.strided_lines, 99U);
}

// The second field of an object is near the first, and in the same line.
TEST(StrideBins, FieldsAreNoStream) {
  StrideBins bins(8);
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i <= 100; ++i) {
    const std::uint64_t object = random() % (1 << 30) / 64 * 64;
    bins.Reference(kSite, object + 8, 8, false, 1);
    bins.Reference(kSite + 4, object, 8, true, 1);
  }
  EXPECT_EQ(bins.CountsOf(1).one, 101U);
  EXPECT_EQ(bins.CountsOf(1).stream_loads, 0U);
  EXPECT_EQ(bins.CountsOf(1).stream_stores, 0U);
}

TEST(StrideBins, DoNotCompareAcrossBursts) {
  StrideBins bins(4);
  bins.Reference(kSite, 0, 8, false, 1);
  bins.Reference(kSite, 8, 8, false, 1);
  bins.StartBurst();
  bins.Reference(kSite, 16, 8, false, 1);
  EXPECT_EQ(bins.CountsOf(1).Sum(), 1U);
  bins.Reference(kSite, 24, 8, false, 1);
  EXPECT_EQ(bins.CountsOf(1).one, 2U);
}

}  // namespace
}  // namespace tare::reuse
