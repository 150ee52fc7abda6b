// figures_test.cc: tests that numbers are printed with the digits that their interval supports.
#include "report/figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tare::report {
namespace {

std::string ShownFigure(const Measured& measured, double factor = 1) {
  const Figure figure = ShowMeasured(measured, factor);
  return figure.interval.empty() ? figure.value : figure.value + " " + figure.interval;
}

TEST(ShowMeasured, RoundsToTwoDigitsOfTheHalfWidth) {
  // Half-widths 0.209, 3.0, 0.0104 and 35.
  EXPECT_EQ(ShownFigure(Between(3.2513, 3.0420, 3.4605, 0.95)), "3.25 [3.04, 3.46]");
  EXPECT_EQ(ShownFigure(Between(243.12, 240.3, 246.3, 0.95)), "243.1 [240.3, 246.3]");
  EXPECT_EQ(ShownFigure(Between(1.00004, 0.9896, 1.0104, 0.95)), "1.000 [0.990, 1.010]");
  EXPECT_EQ(ShownFigure(Between(512.4, 480, 550, 0.95)), "512 [480, 550]");
}

TEST(ShowMeasured, RoundsAHalfWidthUpBeforeItsDigitsAreCounted) {
  // 0.0996 rounds to 0.10 at two digits.
  EXPECT_EQ(ShownFigure(Between(1, 0.9004, 1.0996, 0.95)), "1.00 [0.90, 1.10]");
}

TEST(ShowMeasured, RoundsLargeNumbersToTens) {
  EXPECT_EQ(ShownFigure(Between(1234567890, 1234555545, 1234580235, 0.95)),
            "1,235,000,000 [±12,000]");
  EXPECT_EQ(ShownFigure(Between(1234567, 1100000, 1400000, 0.95)),
            "1,230,000 [1,100,000, 1,400,000]");
}

TEST(ShowMeasured, ScalesValueAndBounds) {
  EXPECT_EQ(ShownFigure(Between(3.2513e-6, 3.042e-6, 3.4605e-6, 0.95), 1e6), "3.25 [3.04, 3.46]");
}

TEST(ShowMeasured, ShowsAnIntervalOfNoWidthAsItIs) {
  EXPECT_EQ(ShownFigure(Between(25, 25, 25, 0.95)), "25 [25, 25]");
  EXPECT_EQ(ShownFigure(Between(0, 0, 0, 0.95)), "0 [0, 0]");
}

TEST(ShowMeasured, ShowsAValueOutsideItsInterval) {
  EXPECT_EQ(ShownFigure(Between(5, 3.0420, 3.4605, 0.95)), "5.00 [3.04, 3.46]");
}

TEST(ShowMeasured, KeepsTheFirstDigitOfASmallValueInAWideInterval) {
  EXPECT_EQ(ShownFigure(Between(3, -500, 600, 0.95)), "3 [-500, 600]");
  EXPECT_EQ(ShownFigure(Between(1e-17, -500, 600, 0.95)), "0 [-500, 600]");
}

TEST(ShowMeasured, RoundsNoBoundBeyondTheValue) {
  EXPECT_EQ(ShownFigure(Between(0.58, 0.52, 73, 0.95)), "0.6 [0.5, 73]");
  EXPECT_EQ(ShownFigure(Between(-0.58, -73, -0.52, 0.95)), "-0.6 [-73, -0.5]");
  EXPECT_EQ(ShownFigure(Between(0.58, 0.2, 73, 0.95)), "0.6 [0, 73]");
}

TEST(ShowMeasured, ShowsOneBound) {
  Measured measured = Between(10, 8, 0, 0.95);
  measured.high.reset();
  EXPECT_EQ(ShownFigure(measured), "10.0 [≥ 8.0]");
  measured.high = 11;
  measured.low.reset();
  EXPECT_EQ(ShownFigure(measured), "10.0 [≤ 11.0]");
  measured.high = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ShownFigure(measured), "10");
}

TEST(ShowMeasured, ShowsExactCountsInFull) {
  EXPECT_EQ(ShownFigure(Exact(1234567)), "1,234,567");
  EXPECT_EQ(ShownFigure(Exact(999)), "999");
  EXPECT_EQ(ShownFigure(Exact(-1000)), "-1,000");
  EXPECT_EQ(ShownFigure(Exact(std::numeric_limits<std::int64_t>::max())),
            "9,223,372,036,854,775,807");
  EXPECT_EQ(ShownFigure(Exact(std::numeric_limits<std::int64_t>::min())),
            "-9,223,372,036,854,775,808");
  EXPECT_EQ(ShownFigure(Exact(65536), 0x1p-10), "64");
}

TEST(ShowMeasured, StopsAtFourDigitsHoweverNarrowTheInterval) {
  EXPECT_EQ(ShownFigure(Between(29.5035123, 29.5030201, 29.5040077, 0.95)), "29.50 [±0.0005]");
  EXPECT_EQ(ShownFigure(Between(6.66626, 6.666259, 6.666261, 0.95)), "6.666 [±0.000001]");
}

TEST(ShowMeasured, ShowsFourDigitsOfExactFractions) {
  Measured measured;
  measured.exact = true;
  measured.value = 20.0 / 21.0;
  EXPECT_EQ(ShownFigure(measured), "0.9524");
  measured.value = 4033933.0;
  EXPECT_EQ(ShownFigure(measured), "4,033,933");
}

TEST(ShowMeasured, ShowsFourDigitsOfWhatHasNoInterval) {
  Measured measured;
  measured.value = 3.14159265;
  EXPECT_EQ(ShownFigure(measured), "3.142");
  measured.value = 123456.7;
  EXPECT_EQ(ShownFigure(measured), "123,457");
  measured.value = std::int64_t{123456};
  EXPECT_EQ(ShownFigure(measured), "123,456");
}

TEST(ShowMeasured, HasNoNegativeZero) {
  EXPECT_EQ(ShownFigure(Between(-0.0, -1, 1, 0.95)), "0 [-1.0, 1.0]");
  EXPECT_EQ(ShownFigure(Between(-0.001, -5, 5, 0.95)), "0.0 [-5.0, 5.0]");
}

TEST(ShowMeasured, HasNoExponentNotation) {
  EXPECT_EQ(ShownFigure(Between(1.234e300, 1.1e300, 1.4e300, 0.95)), "10^300 [10^300, 10^300]");
  EXPECT_EQ(ShownFigure(Between(1.234e-12, 1.1e-12, 1.4e-12, 0.95)),
            "<0.000001 [<0.000001, <0.000001]");
  Measured share = Between(-3.8428e-5, -3.8428e-5, -3.8428e-5, 0.95);
  EXPECT_EQ(ShownFigure(share), "-0.000038 [-0.000038, -0.000038]");
  share.value = -1e-9;
  share.low = share.high = std::nullopt;
  EXPECT_EQ(ShownFigure(share), ">-0.000001");
  const double most = std::numeric_limits<double>::max();
  EXPECT_LT(ShownFigure(Between(most, -most, most, 0.95)).size(), 60u);
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_LT(ShownFigure(Between(least, 0, least, 0.95)).size(), 60u);
}

TEST(ShownValue, IsNullForWhatCannotBeShown) {
  EXPECT_EQ(ShownValue(Absent("why")), nullptr);
  EXPECT_EQ(ShownValue(Between(std::nan(""), 0, 1, 0.95)), nullptr);
  const Measured zero = Exact(0);
  EXPECT_NE(ShownValue(zero), nullptr);
  EXPECT_EQ(ShownFigure(Absent("why")), "-");
}

TEST(ShowBare, IsPlain) {
  EXPECT_EQ(ShowBare(std::int64_t{1234567}, 1), "1234567");
  EXPECT_EQ(ShowBare(0.1 + 0.2, 1), "0.3");
  EXPECT_EQ(ShowBare(2924712086.77, 1), "2,925,000,000");
  EXPECT_EQ(ShowBare(-0.0, 1), "0");
  EXPECT_EQ(ShowBare(1e300, 1), "10^300");
  EXPECT_EQ(ShowBare(std::nan(""), 1), "-");
  EXPECT_EQ(ShowBare(std::int64_t{4096}, 0x1p-10), "4");
}

TEST(ShowRounded, CutsZerosAtTheEnd) {
  EXPECT_EQ(ShowRounded(2.5, 3), "2.5");
  EXPECT_EQ(ShowRounded(100, 3), "100");
  EXPECT_EQ(ShowRounded(1234.5, 3), "1234");
  EXPECT_EQ(ShowRounded(0.000012345, 3), "0.000012");
}

TEST(ScaleWhole, RefusesWhatWouldNotStayWholeOrFit) {
  EXPECT_EQ(ScaleWhole(4000000, 1e-6), 4);
  EXPECT_EQ(ScaleWhole(4000001, 1e-6), std::nullopt);
  EXPECT_EQ(ScaleWhole(3, 1000), 3000);
  EXPECT_EQ(ScaleWhole(std::numeric_limits<std::int64_t>::max(), 1000), std::nullopt);
  EXPECT_EQ(ScaleWhole(7, 1.5), std::nullopt);
  EXPECT_EQ(ScaleWhole(0, 1e-300), 0);
  EXPECT_EQ(ScaleWhole(7, 1e-300), std::nullopt);
}

}  // namespace
}  // namespace tare::report
