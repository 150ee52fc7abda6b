// varints_test.cc: numbers of every length, and bytes that are none.
#include "format/varints.h"

#include <gtest/gtest.h>

#include <vector>

namespace tare::format {
namespace {

std::span<const std::byte> NumberBytes(const std::string& raw) {
  return std::as_bytes(std::span(raw));
}

TEST(Varints, OfEveryLengthAreReadAgain) {
  std::vector<std::uint64_t> numbers = {0, UINT64_MAX};
  for (unsigned bits = 0; bits < 64; ++bits) {
    const std::uint64_t number = std::uint64_t{1} << bits;
    numbers.insert(numbers.end(), {number - 1, number, number + 1});
  }
  std::string raw;
  VarintWriter writer(raw, numbers.size() * kMaxVarintBytes);
  for (const std::uint64_t number : numbers) writer.Add(number);
  writer.Finish();
  VarintReader reader(NumberBytes(raw));
  for (const std::uint64_t number : numbers) EXPECT_EQ(reader.Next(), number);
  EXPECT_TRUE(reader.Good());
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_EQ(reader.Next(), 0u);
  EXPECT_FALSE(reader.Good());
}

TEST(Varints, ThatAreCutOrTooLongAreNoNumbers) {
  for (const std::string& raw :
       {std::string("\x80"), std::string("\xff\xff"), std::string(9, '\xff') + '\x02',
        std::string(10, '\xff') + '\x01', std::string(20, '\x80')}) {
    VarintReader reader(NumberBytes(raw));
    EXPECT_EQ(reader.Next(), 0u);
    EXPECT_FALSE(reader.Good());
    EXPECT_TRUE(reader.AtEnd());
  }
}

}  // namespace
}  // namespace tare::format
