// last_line_test.cc: tests which line of a failing program's messages is shown.
#include "base/last_line.h"

#include <gtest/gtest.h>

namespace tare {
namespace {

TEST(LastLine, IsTheLastThatSaysSomething) {
  EXPECT_EQ(LastLine(""), "");
  EXPECT_EQ(LastLine("\n \n"), "");
  EXPECT_EQ(LastLine("one"), "one");
  EXPECT_EQ(LastLine("one\ntwo  \n\n"), "two");
  EXPECT_EQ(LastLine("a\x1b[31mb\n"), "a\\x1b[31mb");
  EXPECT_EQ(LastLine(std::string(1000, 'x')).size(), 300);
}

TEST(LastLine, IsNotTheOneThatClosesAReport) {
  EXPECT_EQ(LastLine("refused: busy\n\ntare 0.1.0 · host (model) · seed 1\n"), "refused: busy");
  EXPECT_EQ(LastLine("tare 0.1.0 · host (model)\n"), "tare 0.1.0 · host (model)");
  EXPECT_EQ(LastLine("x\ntare count: no such program · 7\n"), "tare count: no such program · 7");
}

}  // namespace
}  // namespace tare
