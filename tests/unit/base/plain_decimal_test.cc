// plain_decimal_test.cc: numbers that options read again.
#include "base/plain_decimal.h"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(PlainDecimal, HasFourDigitsAndNoExponent) {
  EXPECT_EQ(PlainDecimal(0), "0");
  EXPECT_EQ(PlainDecimal(1.5), "1.5");
  EXPECT_EQ(PlainDecimal(0.123456), "0.1235");
  EXPECT_EQ(PlainDecimal(2e-7), "0.0000002");
  EXPECT_EQ(PlainDecimal(-12.5), "-12.5");
}

TEST(PlainDecimal, KeepsTheWholePart) {
  EXPECT_EQ(PlainDecimal(10'000), "10000");
  EXPECT_EQ(PlainDecimal(1'048'576), "1048576");
}

}  // namespace
}  // namespace tare
