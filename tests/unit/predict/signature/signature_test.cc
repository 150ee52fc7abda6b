// signature_test.cc: the grid and the bins of distances.
#include "predict/signature/signature.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tare::signature {
namespace {

TEST(Grid, NumbersItsShapesByLineSizeAndSets) {
  const Grid grid;
  EXPECT_EQ(grid.SetCounts(), 7U);
  EXPECT_EQ(grid.Shapes(), 14U);
  EXPECT_EQ(grid.ShapeOf(64, 64), 0U);
  EXPECT_EQ(grid.ShapeOf(64, 4096), 6U);
  EXPECT_EQ(grid.ShapeOf(128, 32), 7U);
  EXPECT_EQ(grid.ShapeOf(128, 2048), 13U);
  EXPECT_EQ(grid.ShapeOf(64, 32), std::nullopt);
  EXPECT_EQ(grid.ShapeOf(64, 8192), std::nullopt);
  EXPECT_EQ(grid.ShapeOf(64, 96), std::nullopt);
  EXPECT_EQ(grid.ShapeOf(64, 0), std::nullopt);
  EXPECT_EQ(grid.ShapeOf(32, 128), std::nullopt);
}

TEST(DistanceBin, ContainsTheDistancesFromItsStartToTheNext) {
  EXPECT_EQ(DistanceBinStart(0), 0U);
  EXPECT_EQ(DistanceBinStart(1), 1U);
  for (std::size_t bin = 1; bin < kDistanceBins; ++bin) {
    const double start = std::exp2(static_cast<double>(bin - 1) / 4);
    EXPECT_NEAR(static_cast<double>(DistanceBinStart(bin)), start, 1 + start * 1e-6) << bin;
    EXPECT_GE(DistanceBinStart(bin), DistanceBinStart(bin - 1)) << bin;
  }
  std::size_t before = 0;
  for (std::uint64_t distance = 0; distance < 100'000; ++distance) {
    const std::size_t bin = DistanceBin(distance);
    ASSERT_GE(bin, before);
    ASSERT_LE(DistanceBinStart(bin), distance);
    ASSERT_GT(DistanceBinStart(bin + 1), distance);
    before = bin;
  }
  EXPECT_EQ(DistanceBin(UINT64_MAX), kDistanceBins - 1);
}

TEST(NearReuse, ErrorOfAPartIsTheRootOfTheShare) {
  NearReuse near;
  EXPECT_EQ(near.ErrorOf(100), 0);
  near.moved = 1000;
  near.moved_error = 50;
  EXPECT_EQ(near.ErrorOf(1000), 50);
  EXPECT_EQ(near.ErrorOf(250), 25);
}

}  // namespace
}  // namespace tare::signature
