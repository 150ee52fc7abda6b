// discover_curves_test.cc: tests sizes, passes and walks over zeroed memory.
#include "machine/survey/discover_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "machine/microbenchmark/buffer.h"

namespace tare::survey {
namespace {

using ::testing::ElementsAre;

class DiscoverCurves : public ::testing::Test {
 protected:
  RandomWalk walk_{1};
  stats::Generator generator_{1};
  Progress progress_ = NoProgress;
  Bench bench_{walk_, generator_, progress_, 10};
};

TEST(Ladder, DoublesInEqualSteps) {
  EXPECT_THAT(Ladder(64, 512, 1, 64), ElementsAre(64, 128, 256, 512));
  EXPECT_THAT(Ladder(4, 16, 2, 1), ElementsAre(4, 6, 8, 11, 16));
}

TEST(Ladder, SizesThatCoincideAreListedOnce) {
  EXPECT_THAT(Ladder(1, 3, 4, 1), ElementsAre(1, 2, 3));
}

TEST_F(DiscoverCurves, SweepTakesOneSampleOfEachSizeInEveryPass) {
  const std::vector<std::uint64_t> sizes = {1, 2, 3};
  std::vector<std::uint64_t> visited;
  const auto points = Sweep(bench_, sizes, 2, 0.5, "sizes", [&](std::uint64_t size) {
    visited.push_back(size);
    return static_cast<double>(visited.size());
  });
  ASSERT_TRUE(points.has_value());
  EXPECT_THAT(visited, ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(points->at(1).seconds, ElementsAre(2, 5));
  EXPECT_DOUBLE_EQ(bench_.done, 0.5);
}

TEST_F(DiscoverCurves, SweepStopsOnRequest) {
  progress_ = [](double fraction, std::string_view) { return fraction < 0.2; };
  const std::vector<std::uint64_t> sizes = {1, 2};
  const auto points = Sweep(bench_, sizes, 2, 1, "sizes", [](std::uint64_t) { return 1.0; });
  ASSERT_FALSE(points.has_value());
  EXPECT_EQ(points.error().kind, ErrorKind::kInterrupted);
}

TEST_F(DiscoverCurves, SweepEndsAfterThreePassesWhenTheBudgetIsSpent) {
  bench_.budget_seconds = 0;
  const std::vector<std::uint64_t> sizes = {1};
  const auto points = Sweep(bench_, sizes, 9, 1, "sizes", [](std::uint64_t) { return 1.0; });
  ASSERT_TRUE(points.has_value());
  EXPECT_EQ(points->front().seconds.size(), 3u);
}

TEST_F(DiscoverCurves, WalksGoOverZerosAndLeaveThem) {
  auto buffer = microbenchmark::Buffer::Make(1 << 20, microbenchmark::Pages::kSmall);
  ASSERT_TRUE(buffer.has_value());
  const auto bytes = buffer->bytes();
  std::ranges::fill(bytes, std::byte{0});
  const Grid grid{64, 4096, 64};
  EXPECT_GT(walk_.Over(bytes.data(), grid, 1000), 0);
  EXPECT_GT(walk_.Pairs(bytes.data(), grid, 512, 1000), 0);
  Placement placement(bytes);
  placement.Shuffle(generator_);
  EXPECT_GT(walk_.Over(placement.Front(16 * kBlockBytes), 1000), 0);
  EXPECT_GT(CycleTime(bytes.first(16 << 10), 1, 1000), 0);
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte one) { return one == std::byte{0}; }));
}

TEST_F(DiscoverCurves, PlacementHasEachBlockOnce) {
  std::vector<std::byte> pool(8 * kBlockBytes);
  Placement placement(pool);
  placement.Shuffle(generator_);
  const auto front = placement.Front(pool.size());
  std::vector<const std::byte*> blocks(front.begin(), front.end());
  std::ranges::sort(blocks);
  ASSERT_EQ(blocks.size(), 8u);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    EXPECT_EQ(blocks[i], pool.data() + i * kBlockBytes);
}

TEST_F(DiscoverCurves, EachTimedLoadHasItsTicks) {
  std::vector<std::uint64_t> zeros(8192, 0);
  const auto* const base = reinterpret_cast<const std::byte*>(zeros.data());
  const auto ticks = walk_.Timed(base, {512, 64}, 100, clock::FinestClock());
  EXPECT_EQ(ticks.size(), 100u);
}

}  // namespace
}  // namespace tare::survey
