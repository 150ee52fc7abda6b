// ratio_verdict_test.cc: tests the three verdicts at and around the limits.
#include "analysis/proxy/ratio_verdict.h"

#include <gtest/gtest.h>

namespace tare::proxy {
namespace {

TEST(VerdictOf, TheWholeIntervalMustLieWithin) {
  EXPECT_EQ(VerdictOf(RatioWithin(1.05, 0.95, 1.1), 0.1), Verdict::kValid);
  EXPECT_EQ(VerdictOf(RatioWithin(1.05, 0.95, 1.2), 0.1), Verdict::kDoubtful);
  EXPECT_EQ(VerdictOf(RatioWithin(1.4, 1.2, 1.6), 0.1), Verdict::kRefused);
  EXPECT_EQ(VerdictOf(RatioWithin(0.5, 0.4, 0.6), 0.1), Verdict::kRefused);
  EXPECT_EQ(VerdictOf(RatioWithin(0.89, 0.8, 0.95), 0.1), Verdict::kDoubtful);
}

TEST(VerdictOf, WithoutIntervalTheValueDecides) {
  EXPECT_EQ(VerdictOf(Known(1.1), 0.1), Verdict::kValid);
  EXPECT_EQ(VerdictOf(Unbounded(1.11), 0.1), Verdict::kRefused);
}

TEST(RatioWithin, ARangeOfZeroWidthIsLeftOut) {
  EXPECT_EQ(RatioWithin(1.5, 1.5, 1.5), Unbounded(1.5));
  EXPECT_TRUE(RatioWithin(1.5, 1, 2).HasInterval());
  EXPECT_EQ(RatioWithin(1.5, 1, 2).confidence, std::nullopt);
}

}  // namespace
}  // namespace tare::proxy
