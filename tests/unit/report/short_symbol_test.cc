// short_symbol_test.cc: tests the shortening of symbol names that are too long for a table.
#include "report/short_symbol.h"

#include <gtest/gtest.h>

#include "base/printable.h"

namespace tare::report {
namespace {

TEST(ShortSymbol, ShortNamesStay) {
  EXPECT_EQ(ShortSymbol("main", 20), "main");
  EXPECT_EQ(ShortSymbol("f(int, long)", 20), "f(int, long)");
  EXPECT_EQ(ShortSymbol("", 20), "");
}

TEST(ShortSymbol, BracketsOfLongNamesAreEmptied) {
  EXPECT_EQ(ShortSymbol("std::vector<Vec, std::allocator<Vec> >::reserve(unsigned long)", 40),
            "std::vector<…>::reserve(…)");
  EXPECT_EQ(ShortSymbol("void sort<int*, less<int> >(int*, int*, less<int>) const", 40),
            "void sort<…>(…) const");
}

TEST(ShortSymbol, OperatorsAndNamelessSpacesAreNoBrackets) {
  EXPECT_EQ(ShortSymbol("(anonymous namespace)::operator<<(std::ostream&, Thing const&)", 50),
            "(anonymous namespace)::operator<<(…)");
  EXPECT_EQ(ShortSymbol("Compare<int, int>::operator()(int const&, int const&) const", 40),
            "Compare<…>::operator()(…) const");
  EXPECT_EQ(ShortSymbol("std::shared_ptr<A>::operator->(with many, many, arguments) const", 45),
            "std::shared_ptr<…>::operator->(…) const");
}

TEST(ShortSymbol, WhatIsStillTooLongLosesItsMiddle) {
  const std::string name = ShortSymbol(std::string(50, 'a') + std::string(50, 'b'), 21);
  EXPECT_EQ(name, "aaaaaaaaaa…bbbbbbbbbb");
  EXPECT_EQ(DisplayWidth(name), 21U);
}

TEST(ShortSymbol, BracketsThatNeverCloseDoNoHarm) {
  EXPECT_EQ(ShortSymbol("f<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<", 20), "f<…>");
  EXPECT_EQ(ShortSymbol(">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>", 10).empty(), false);
}

}  // namespace
}  // namespace tare::report
