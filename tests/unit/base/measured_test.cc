// measured_test.cc: tests what computing code reads from a measured number, and arithmetic on it.
#include "base/measured.h"

#include <gtest/gtest.h>

#include <limits>

namespace tare {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Measured, AnIntervalIsReadByItsEnds) {
  const Measured measured = Between(5, 4, 8, 0.9);
  EXPECT_TRUE(measured.HasInterval());
  EXPECT_EQ(measured.Value(), 5);
  EXPECT_EQ(measured.Low(), 4);
  EXPECT_EQ(measured.High(), 8);
  EXPECT_EQ(measured.HalfWidth(), 2);
  EXPECT_TRUE(measured.Contains(4));
  EXPECT_TRUE(measured.Contains(8));
  EXPECT_FALSE(measured.Contains(8.01));
  EXPECT_EQ(measured.confidence, 0.9);
}

TEST(Measured, WithoutIntervalTheEndsAreTheValue) {
  for (const Measured& measured : {Exact(7), Known(7), Unbounded(7)}) {
    EXPECT_FALSE(measured.HasInterval());
    EXPECT_EQ(measured.Low(), 7);
    EXPECT_EQ(measured.High(), 7);
    EXPECT_EQ(measured.HalfWidth(), 0);
    EXPECT_TRUE(measured.Contains(7));
    EXPECT_FALSE(measured.Contains(7.5));
  }
  EXPECT_FALSE(Unbounded(7).exact);
}

TEST(Measured, ASideWithoutBoundIsInfinite) {
  Measured at_least = Unbounded(7);
  at_least.low = 6;
  EXPECT_FALSE(at_least.HasInterval());
  EXPECT_EQ(at_least.High(), kInfinity);
  EXPECT_TRUE(at_least.Contains(1e300));
  Measured at_most = Unbounded(7);
  at_most.high = 8;
  EXPECT_EQ(at_most.Low(), -kInfinity);
  EXPECT_FALSE(at_most.Contains(9));
}

TEST(MeasuredDeathTest, AnAbsentNumberHasNoValue) {
  EXPECT_DEATH((void)Absent("not measured").Value(), "");
}

TEST(Scaled, MultipliesValueAndInterval) {
  EXPECT_EQ(Scaled(Between(4, 2, 8, 0.95), 3), Between(12, 6, 24, 0.95));
  EXPECT_EQ(Scaled(Known(4), 3), Known(12));
}

TEST(Scaled, ANegativeFactorKeepsTheEndsInOrder) {
  EXPECT_EQ(Scaled(Between(4, 2, 8, 0.95), -1), Between(-4, -8, -2, 0.95));
}

TEST(Scaled, KeepsUnitSourceAndVerdict) {
  const Measured scaled =
      Scaled(Doubtful(WithSource("kernel", WithUnit("s", Unbounded(2))), "noisy"), 2);
  EXPECT_EQ(scaled.unit, "s");
  EXPECT_EQ(scaled.source, "kernel");
  EXPECT_EQ(scaled.verdict, Verdict::kDoubtful);
  EXPECT_EQ(scaled.reason, "noisy");
  EXPECT_EQ(Scaled(Absent("not measured"), 2), Absent("not measured"));
}

TEST(Inverse, KeepsTheEndsInOrder) {
  EXPECT_EQ(Inverse(Between(4, 2, 8, 0.95)), Between(0.25, 0.125, 0.5, 0.95));
}

}  // namespace
}  // namespace tare
