// ratio_verdict_test.cc: tests the three verdicts at and around the limits.
#include "analysis/proxy/ratio_verdict.h"

#include <gtest/gtest.h>

namespace tare::proxy {
namespace {

TEST(VerdictOf, TheWholeIntervalMustLieWithin) {
  EXPECT_EQ(VerdictOf({1.05, 0.95, 1.1}, 0.1), RatioVerdict::kValid);
  EXPECT_EQ(VerdictOf({1.05, 0.95, 1.2}, 0.1), RatioVerdict::kDoubtful);
  EXPECT_EQ(VerdictOf({1.4, 1.2, 1.6}, 0.1), RatioVerdict::kRefused);
  EXPECT_EQ(VerdictOf({0.5, 0.4, 0.6}, 0.1), RatioVerdict::kRefused);
  EXPECT_EQ(VerdictOf({0.89, 0.8, 0.95}, 0.1), RatioVerdict::kDoubtful);
}

}  // namespace
}  // namespace tare::proxy
