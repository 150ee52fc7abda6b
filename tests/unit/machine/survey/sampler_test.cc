// sampler_test.cc: tests medians, intervals, and points that do not settle.
#include "machine/survey/sampler.h"

#include <gtest/gtest.h>

namespace tare::survey {
namespace {

TEST(Samples, SteadyOnesSettle) {
  const Samples steady{{100, 101, 99, 100, 100.5, 99.5}};
  EXPECT_TRUE(Settled(steady));
  const auto figure = FigureOf(steady);
  EXPECT_DOUBLE_EQ(figure.Value(), 100);
  EXPECT_DOUBLE_EQ(*figure.low, 99);
  EXPECT_DOUBLE_EQ(*figure.high, 101);
  EXPECT_EQ(figure.verdict, Verdict::kValid);
}

TEST(Samples, ScatteredOnesDoNotSettleAndAreMarked) {
  const Samples scattered{{100, 150, 60, 100, 130, 80}};
  EXPECT_FALSE(Settled(scattered));
  const auto figure = FigureOf(scattered);
  EXPECT_EQ(figure.verdict, Verdict::kDoubtful);
  EXPECT_NE(figure.reason.find("wide"), std::string::npos);
}

TEST(Samples, ThatDriftHaveAnIntervalThatCoversTheDrift) {
  // The order statistics of 15 samples alone would exclude the last third.
  const Samples drifting{
      {100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 106, 106, 106, 106, 106}};
  const auto figure = FigureOf(drifting);
  EXPECT_DOUBLE_EQ(figure.Value(), 100);
  EXPECT_DOUBLE_EQ(*figure.high, 106);
}

TEST(Samples, FewOnesHaveNoInterval) {
  const Samples few{{100, 101, 99}};
  EXPECT_FALSE(Settled(few));
  const auto figure = FigureOf(few);
  EXPECT_FALSE(figure.low.has_value());
  EXPECT_EQ(figure.verdict, Verdict::kDoubtful);
}

}  // namespace
}  // namespace tare::survey
