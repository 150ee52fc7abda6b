// axis_test.cc: tests axis ranges, round tick values and labels.
#include "report/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/printable.h"

namespace tare::report {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(AxisOver, SpansTheFiniteValues) {
  const Axis axis =
      AxisOver({3, std::nan(""), -1, std::numeric_limits<double>::infinity()}, "", false);
  EXPECT_EQ(axis.low, -1);
  EXPECT_EQ(axis.high, 3);
}

TEST(AxisOver, LeavesOutWhatHasNoLogarithm) {
  const Axis axis = AxisOver({-5, 0, 10, 1000}, "", true);
  EXPECT_EQ(axis.low, 10);
  EXPECT_EQ(axis.high, 1000);
  EXPECT_DOUBLE_EQ(axis.Place(100), 0.5);
  EXPECT_FALSE(axis.Place(0) >= 0);
}

TEST(AxisOver, HasARangeAroundASingleValueAndForNone) {
  for (const bool logarithmic : {false, true}) {
    for (const std::vector<double>& values :
         {std::vector<double>{}, {7.0}, {0.0}, {-3.0}, {5e-324}, {1.7e308}, {-1.7e308}}) {
      const Axis axis = AxisOver(values, "s", logarithmic);
      EXPECT_LT(axis.low, axis.high);
      EXPECT_TRUE(std::isfinite(axis.high) && std::isfinite(axis.low));
    }
  }
}

TEST(Axis, PlacesTheEndsOfTheWidestRange) {
  const double most = std::numeric_limits<double>::max();
  const Axis axis = AxisOver({-most, most}, "", false);
  EXPECT_EQ(axis.Place(-most), 0);
  EXPECT_EQ(axis.Place(most), 1);
  EXPECT_EQ(axis.Place(0), 0.5);
}

TEST(Axis, PlacesTheEndsOfTheNarrowestRange) {
  const double least = std::numeric_limits<double>::denorm_min();
  const Axis axis = AxisOver({0, least}, "", false);
  EXPECT_EQ(axis.Place(0), 0);
  EXPECT_EQ(axis.Place(least), 1);
  // Two neighbours whose logarithms are the same double.
  const Axis logarithmic{1e300, std::nextafter(1e300, 2e300), true, ""};
  EXPECT_EQ(logarithmic.Place(1e300), 0);
}

TEST(Widened, EndsAtRoundNumbersOfTheUnitShown) {
  const RoundAxis round = Widened(Axis{1.2e-9, 83.2e-9, false, "s"});
  EXPECT_THAT(round.axis.low, DoubleEq(0));
  EXPECT_NEAR(round.axis.high, 100e-9, 1e-15);
  EXPECT_EQ(round.ticks.size(), 5u);
  EXPECT_EQ(round.axis.Label(0.25), "25 ns");
  EXPECT_EQ(round.axis.Label(0), "0 ns");
}

TEST(Widened, KeepsAwayFromZeroWhenThatIsFar) {
  const RoundAxis round = Widened(Axis{101, 104, false, ""});
  EXPECT_EQ(round.axis.low, 101);
  EXPECT_EQ(round.axis.high, 104);
}

TEST(Widened, KeepsWhatCannotBeWidened) {
  const double most = std::numeric_limits<double>::max();
  const RoundAxis round = Widened(Axis{-most, most, false, ""});
  EXPECT_EQ(round.axis.high, most);
  EXPECT_THAT(round.ticks, ElementsAre(0, 1));
}

TEST(Widened, EndsALogarithmicAxisAtOneTwoOrFive) {
  const RoundAxis round = Widened(Axis{3e9, 46e9, true, "B/s"});
  EXPECT_NEAR(round.axis.low, 2e9, 1);
  EXPECT_NEAR(round.axis.high, 50e9, 1);
  // 2, 5, 10, 20 and 50.
  ASSERT_EQ(round.ticks.size(), 5u);
  EXPECT_EQ(round.ticks.front(), 0);
  EXPECT_DOUBLE_EQ(round.ticks.back(), 1);
  EXPECT_EQ(round.axis.Label(round.ticks[2]), "10 GB/s");
}

TEST(Widened, LabelsDecadesWhenThereAreMany) {
  const RoundAxis round = Widened(Axis{2e-9, 3e-3, true, "s"});
  std::vector<std::string> labels;
  for (const double tick : round.ticks) labels.push_back(round.axis.Label(tick));
  EXPECT_THAT(labels,
              ElementsAre("2 ns", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "5 ms"));
}

TEST(Widened, KeepsALogarithmicAxisThatCannotBeWidened) {
  const double least = std::numeric_limits<double>::denorm_min();
  const RoundAxis round = Widened(Axis{least, 1, true, ""});
  EXPECT_EQ(round.axis.low, least);
  EXPECT_THAT(round.ticks, ElementsAre(0, 1));
}

TEST(LabelPlaces, ArePowersOfTwoForBytesAndOfTenForTheRest) {
  const auto labels = [](const Axis& axis, std::size_t width) {
    std::vector<std::string> all;
    for (const double place : LabelPlaces(axis, width)) all.push_back(axis.Label(place));
    return all;
  };
  EXPECT_THAT(labels(Axis{1000, 140000, true, "B"}, 60),
              ElementsAre("1 KiB", "4 KiB", "16 KiB", "64 KiB"));
  EXPECT_THAT(labels(Axis{2, 3000, true, "s"}, 60), ElementsAre("10 s", "100 s", "1,000 s"));
  EXPECT_TRUE(labels(Axis{0, 100, false, "B"}, 60).empty());
  EXPECT_TRUE(labels(Axis{3, 3.5, true, "B"}, 60).empty());
}

TEST(LabelLine, FillsTheWidthWithTheEndsAndTheMiddle) {
  const Axis axis{4096, 268435456, true, "B"};
  EXPECT_EQ(LabelLine(axis, 30), "4 KiB        1 MiB     256 MiB");
  EXPECT_EQ(LabelLine(axis, 14), "4 KiB  256 MiB");
  EXPECT_EQ(LabelLine(axis, 6), "4 KiB");
  EXPECT_EQ(LabelLine(axis, 2), "");
}

}  // namespace
}  // namespace tare::report
