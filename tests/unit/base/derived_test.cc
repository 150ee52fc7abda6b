// derived_test.cc: tests that a derived number is never better than what it is made of.
#include "base/derived.h"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(WithWorstVerdict, TakesTheWorstVerdictAndItsReason) {
  const Measured valid = Between(2, 1, 3, 0.95);
  const Measured doubtful = Doubtful(Unbounded(4), "few runs");
  const Measured ratio = WithWorstVerdict(Unbounded(0.5), {valid, doubtful});
  EXPECT_EQ(ratio.verdict, Verdict::kDoubtful);
  EXPECT_EQ(ratio.reason, "few runs");
  EXPECT_EQ(WithWorstVerdict(Unbounded(0.5), {valid, valid}).verdict, Verdict::kValid);
}

TEST(WithWorstVerdict, KeepsAVerdictThatIsAsBad) {
  const Measured own = Doubtful(Unbounded(1), "own");
  EXPECT_EQ(WithWorstVerdict(own, {Doubtful(Unbounded(4), "other")}).reason, "own");
}

}  // namespace
}  // namespace tare
