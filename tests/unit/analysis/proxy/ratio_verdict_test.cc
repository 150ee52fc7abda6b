// ratio_verdict_test.cc: tests the three verdicts at and around the limits.
#include "analysis/proxy/ratio_verdict.h"

#include <gtest/gtest.h>

namespace tare::proxy {
namespace {

TEST(Judge, TheWholeIntervalMustLieWithin) {
  EXPECT_EQ(Judge({1.05, 0.95, 1.1}, 0.1), Standing::kValid);
  EXPECT_EQ(Judge({1.05, 0.95, 1.2}, 0.1), Standing::kDoubtful);
  EXPECT_EQ(Judge({1.4, 1.2, 1.6}, 0.1), Standing::kRefused);
  EXPECT_EQ(Judge({0.5, 0.4, 0.6}, 0.1), Standing::kRefused);
  EXPECT_EQ(Judge({0.89, 0.8, 0.95}, 0.1), Standing::kDoubtful);
}

}  // namespace
}  // namespace tare::proxy
