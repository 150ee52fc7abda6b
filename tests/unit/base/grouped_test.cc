// grouped_test.cc: tests thousands separators.
#include "base/grouped.h"

#include <gtest/gtest.h>

#include <limits>

namespace tare {
namespace {

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(123456), "123,456");
  EXPECT_EQ(Grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(WithSeparators, GroupsTheWholePart) {
  EXPECT_EQ(WithSeparators("-12345.6789"), "-12,345.6789");
  EXPECT_EQ(WithSeparators("-123.4567"), "-123.4567");
  EXPECT_EQ(WithSeparators("0.123456"), "0.123456");
}

}  // namespace
}  // namespace tare
