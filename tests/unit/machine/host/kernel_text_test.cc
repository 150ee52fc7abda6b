// kernel_text_test.cc: tests parsing of numbers, lists and lines, valid and invalid.
#include "machine/host/kernel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tare::host {
namespace {

using std::string_view_literals::operator""sv;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Trimmed, TakesBlanksAndZeroBytesFromBothEnds) {
  EXPECT_EQ(Trimmed(" \t a b \n"), "a b");
  EXPECT_EQ(Trimmed("linux,dummy-virt\0"sv), "linux,dummy-virt");
  EXPECT_EQ(Trimmed(" \n\0 "sv), "");
  EXPECT_EQ(Trimmed(""), "");
}

TEST(Lines, EmptyOnesAreLeftOut) {
  EXPECT_THAT(Lines("a\n\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(Lines("\n\n"), IsEmpty());
}

TEST(Words, AnyRunOfBlanksParts) { EXPECT_THAT(Words("  a\t b \n"), ElementsAre("a", "b")); }

TEST(WholeNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(WholeNumber(" 42\n"), 42U);
  EXPECT_EQ(WholeNumber("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(WholeNumber("18446744073709551616"), std::nullopt);
  for (const char* wrong : {"", " ", "-1", "+1", "1.5", "12a", "0x10", "\xff\xfe"}) {
    EXPECT_EQ(WholeNumber(wrong), std::nullopt) << wrong;
  }
}

TEST(SignedNumber, MayBeNegative) {
  EXPECT_EQ(SignedNumber("-1\n"), -1);
  EXPECT_EQ(SignedNumber("9223372036854775808"), std::nullopt);
}

TEST(HexNumber, WithAndWithoutItsMark) {
  EXPECT_EQ(HexNumber("0xd0c"), 0xd0cU);
  EXPECT_EQ(HexNumber("00000000a80425fb"), 0xa80425fbU);
  EXPECT_EQ(HexNumber("0x"), std::nullopt);
  EXPECT_EQ(HexNumber("0xg"), std::nullopt);
  EXPECT_EQ(HexNumber("10000000000000000"), std::nullopt);
}

TEST(PositiveReal, RefusesWhatIsNoShareOrLoad) {
  EXPECT_DOUBLE_EQ(PositiveReal("0.15").value(), 0.15);
  for (const char* wrong : {"", "-0.5", "inf", "nan", "1e999", "0.1x"}) {
    EXPECT_EQ(PositiveReal(wrong), std::nullopt) << wrong;
  }
}

TEST(ValueOf, ComparesTheWholeKey) {
  constexpr std::string_view kText = "MemTotalX: 1 kB\nMemTotal:  2 kB\nMemTotal: 3 kB\nodd line";
  EXPECT_EQ(ValueOf(kText, "MemTotal"), "2 kB");
  EXPECT_EQ(ValueOf(kText, "Mem"), std::nullopt);
  EXPECT_EQ(ValueOf("ID=debian\n", "ID", '='), "debian");
  EXPECT_EQ(ValueOf("model name\t:", "model name"), "");
}

TEST(Chosen, IsTheWordInBrackets) {
  EXPECT_EQ(Chosen("always [madvise] never"), "madvise");
  for (const char* wrong : {"", "always madvise", "[", "[]", "] ["}) {
    EXPECT_EQ(Chosen(wrong), std::nullopt) << wrong;
  }
}

TEST(ListedProcessors, CountsSinglesAndRanges) {
  EXPECT_EQ(ListedProcessors("0-3,8\n"), 5U);
  EXPECT_EQ(ListedProcessors("7"), 1U);
  EXPECT_EQ(ListedProcessors("\n"), 0U);
  EXPECT_EQ(ListedProcessors("  (null)\n"), 0U);
}

TEST(ListedProcessors, RefusesNonsenseAndEndlessRanges) {
  for (const char* wrong :
       {"a", "3-1", "1-", "-1", "1,,2", "0-4294967295", "0-18446744073709551615", "0-65535,0-1"}) {
    EXPECT_EQ(ListedProcessors(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace tare::host
