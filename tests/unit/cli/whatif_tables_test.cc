// whatif_tables_test.cc: tests the sentence on changed machines.
#include "cli/whatif_tables.h"

#include <gtest/gtest.h>

#include <vector>

namespace tare::cli {
namespace {

WhatIfTime Predicted(const char* change, double seconds) { return {change, 0, seconds}; }

WhatIfTime Refused(const char* change) {
  return {change, 0, Fail(ErrorKind::kUnsupported, "there is no such level")};
}

std::string Answer(const std::vector<WhatIfTime>& times) { return WhatIfAnswer(2, times); }

TEST(WhatIfAnswer, CountsOnlyWhatCouldBePredicted) {
  EXPECT_EQ(Answer({Predicted("L2.bytes=x2", 2), Refused("L4.bytes=x2")}),
            "L2.bytes=x2 changes the time of 2 s by less than 1 %.");
  EXPECT_EQ(Answer({Predicted("L2.bytes=x2", 2), Predicted("L3.bytes=x2", 2)}),
            "Each change alters the time of 2 s by less than 1 %.");
  EXPECT_EQ(
      Answer({Predicted("L2.bytes=x2", 2), Predicted("L3.bytes=x2", 2), Refused("L4.bytes=x2")}),
      "Each predicted change alters the time of 2 s by less than 1 %.");
  EXPECT_EQ(Answer({Refused("L4.bytes=x2"), Refused("L5.bytes=x2")}),
            "No change could be predicted: there is no such level.");
}

TEST(WhatIfAnswer, NamesTheLargestEffects) {
  EXPECT_EQ(Answer({Predicted("clock=x2", 1), Predicted("clock=x0.5", 4)}),
            "The time goes from 2 s to 1 s with clock=x2 (2 times as fast), and to 4 s with "
            "clock=x0.5 (0.5 times as fast).");
}

}  // namespace
}  // namespace tare::cli
