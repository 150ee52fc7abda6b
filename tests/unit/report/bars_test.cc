// bars_test.cc: tests drawing, writing and reading of stacked bars.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "base/printable.h"
#include "report/bars_table.h"
#include "report/export.h"
#include "report/json.h"
#include "report/names.h"
#include "report/text.h"
#include "samples.h"

namespace tare::report {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Document Of(Bars bars) {
  Document document;
  document.blocks.emplace_back(std::move(bars));
  return document;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(BarsText, ShowsAllBarsOnOneScaleAndTheNumbersBelow) {
  EXPECT_EQ(ToText(Of(SampleBars()), {.width = 72, .quiet = true}),
            "Instructions\n"
            "vanilla       AAAA 500 AAABB 300 BCCCCDE 1,000\n"
            "instrumented  AAAAAAAAA 900 AAAAAAAAABB 300 BCCC 400 CCCDDD 400 DD 2,000\n"
            "\n"
            "instructions  vanilla (exact)  share (%)   instrumented  share (%)\n"
            "────────────  ───────────────  ─────────  ─────────────  ─────────\n"
            "A move                    500       50.0    900   exact       45.0\n"
            "B add                     300       30.0    300   exact       15.0\n"
            "C branch                  150       15.0    400   exact       20.0\n"
            "D call                     49        4.9    400   exact       20.0\n"
            "E float                     1        0.1      -¹\n"
            "total                   1,000      100.0  2,000?²            100.0\n"
            "¹ not known\n"
            "² doubtful: one of its parts is not known\n");
}

TEST(BarsText, AVisiblePartIsLeftOfEachSegmentThatIsNotZero) {
  Bars bars{"b", "", "", {"all", "little", "none"}, {{"x", {Exact(1000000), Exact(1), Exact(0)}}}};
  const std::string line = LinesOf(ToText(Of(bars), {.width = 60}))[0];
  EXPECT_THAT(line, HasSubstr("AB 1,000,001"));
  EXPECT_EQ(line.find('C'), std::string::npos);
}

TEST(BarsText, FitsEveryWidth) {
  Bars bars = SampleBars();
  bars.bars[0].name = "a program with a name that goes on and on";
  bars.segments[0] = "memory-to-memory-moves-and-everything-alike";
  for (std::size_t width = 20; width <= 200; ++width) {
    for (const std::string& line : LinesOf(ToText(Of(bars), {.width = width}))) {
      ASSERT_LE(DisplayWidth(line), width) << line;
      ASSERT_FALSE(line.ends_with(' ')) << width << line << "|";
    }
  }
}

TEST(BarsText, TheLongestBarTakesTheWholeWidth) {
  for (std::size_t width = 40; width <= 200; ++width)
    ASSERT_EQ(DisplayWidth(LinesOf(ToText(Of(SampleBars()), {.width = width}))[2]), width);
}

TEST(BarsJson, DotsMayBeNegativeAndPartsMayNot) {
  Bars bars{"b", "Title", "", {"p"}, {{"x", {Known(-3)}}}};
  EXPECT_FALSE(FromJson(ToJson(Of(bars))).has_value());
  bars.dots = true;
  const auto read = FromJson(ToJson(Of(bars)));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(std::get<Bars>(read->blocks[0]), bars);
}

TEST(BarsText, NothingToDrawIsNoBar) {
  Bars bars{"b", "", "", {"a", "b"}, {{"x", {Exact(0), Exact(0)}}}};
  EXPECT_THAT(ToText(Of(bars), {}), StartsWith("x  0\n"));
  bars.bars[0].values = {Absent("lost"), Absent("lost")};
  EXPECT_THAT(ToText(Of(bars), {}), StartsWith("x  -\n"));
  EXPECT_EQ(ToText(Of(Bars{"b", "", "", {"a"}, {}}), {}), "none\n");
  EXPECT_THAT(ToText(Of(Bars{"b", "", "", {}, {{"x", {}}}}), {}), StartsWith("x  -\n"));
}

TEST(BarsText, WhatCannotBeDrawnIsLeftOut) {
  Measured endless;
  endless.value = std::numeric_limits<double>::infinity();
  Measured negative;
  negative.value = std::int64_t{-5};
  const Bars bars{"b", "", "", {"a", "b", "c"}, {{"x", {endless, negative, Exact(3)}}}};
  const std::string line = LinesOf(ToText(Of(bars), {.width = 30}))[0];
  EXPECT_EQ(line.find_first_of("AB"), std::string::npos);
  EXPECT_THAT(line, HasSubstr("CCC"));
}

TEST(BarsText, SumsBeyondTheLargestNumberDoNoHarm) {
  Measured huge;
  huge.value = std::numeric_limits<double>::max();
  const Bars bars{"b", "", "", {"a", "b"}, {{"x", {huge, huge}}, {"y", {Exact(1), Exact(2)}}}};
  EXPECT_EQ(LinesOf(ToText(Of(bars), {})).front().front(), 'x');
}

TEST(BarsText, ThousandsOfBarsHaveALegendOfKeysAlone) {
  Bars bars = SampleBars();
  const Bar bar = bars.bars[0];
  bars.bars.assign(2000, bar);
  const auto lines = LinesOf(ToText(Of(bars), {.width = 80, .quiet = true}));
  ASSERT_EQ(lines.size(), 1 + 2000 + 2);
  EXPECT_EQ(lines.back(), "A move  B add  C branch  D call  E float");
}

TEST(BarsText, MoreSegmentsThanColumnsShowTheFirstOnes) {
  Bars bars{"b", "", "", {}, {{"x", {}}}};
  for (int i = 0; i < 500; ++i) {
    bars.segments.push_back("s" + std::to_string(i));
    bars.bars[0].values.push_back(Exact(1));
  }
  for (const std::string& line : LinesOf(ToText(Of(bars), {.width = 50})))
    ASSERT_LE(DisplayWidth(line), 50U);
}

TEST(BarsText, ColourChangesNoCharacter) {
  const std::string coloured = ToText(Of(SampleBars()), {.colour = true});
  std::string plain;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b')
      i = coloured.find('m', i);
    else
      plain += coloured[i];
  }
  EXPECT_EQ(plain, ToText(Of(SampleBars()), {}));
  // Blocks of one colour, black digits on it for the number, and the legend in the same colour.
  EXPECT_THAT(coloured, HasSubstr("\x1b[38;5;117;48;5;117mA"));
  EXPECT_THAT(coloured, HasSubstr("\x1b[38;5;16;48;5;117m 500 \x1b"));
  EXPECT_THAT(coloured, HasSubstr("\n\x1b[38;5;16;48;5;117mA\x1b[0m move"));
}

TEST(BarsJson, WhatIsWrittenReadsAsTheSame) {
  const Document document = Of(SampleBars());
  const std::string json = ToJson(document);
  EXPECT_THAT(json, HasSubstr("\"format\": 2"));
  EXPECT_THAT(json, HasSubstr("{\"value\": 500, \"low\": null, \"high\": null, \"exact\": true"));
  const auto again = FromJson(json);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, document);
}

TEST(BarsJson, DocumentsWithoutThemStayInTheOldFormat) {
  EXPECT_EQ(FormatOf(SampleDocument()), 1);
  EXPECT_EQ(FormatOf(Of(SampleBars())), 2);
}

TEST(BarsJson, DotsAndMarksSurviveInFormatFive) {
  Bars bars = SampleBars();
  bars.dots = true;
  bars.marks = {{100, "limit"}};
  const Document document = Of(bars);
  EXPECT_EQ(FormatOf(document), 5);
  const auto again = FromJson(ToJson(document));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, document);
}

TEST(BarsText, DotsAreATableWithARowForEachName) {
  Bars bars = SampleBars();
  bars.dots = true;
  const std::string text = ToText(Of(bars), {.width = 100});
  EXPECT_THAT(text, HasSubstr("\nvanilla"));
  EXPECT_THAT(text, testing::Not(HasSubstr("total")));
  EXPECT_THAT(ToMarkdown(bars), HasSubstr("| vanilla | 500 |"));
}

TEST(BarsJson, RefusesInvalidBars) {
  const auto message = [](Bars bars) {
    const auto read = FromJson(ToJson(Of(std::move(bars))));
    return read ? "" : read.error().message;
  };
  Bars bars = SampleBars();
  bars.bars[1].values.pop_back();
  EXPECT_THAT(message(bars), HasSubstr("has 4 values for 5 segments"));
  EXPECT_THAT(message(bars), HasSubstr("blocks[0].bars[1]"));
  bars = SampleBars();
  bars.bars[0].values[2] = Exact(-1);
  EXPECT_THAT(message(bars), HasSubstr("blocks[0].bars[0].values[2]"));
}

TEST(BarsNames, SegmentsAreUniqueAndBarsAsLong) {
  EXPECT_EQ(NameFault(Of(SampleBars())), "");
  Bars bars = SampleBars();
  bars.segments[1] = "move";
  EXPECT_EQ(NameFault(Of(bars)), "'mix' has two segments 'move'");
  bars = SampleBars();
  bars.bars[0].values.clear();
  EXPECT_EQ(NameFault(Of(bars)), "bar 'vanilla' of 'mix' has 0 values for 5 segments");
}

TEST(BarsTotal, IsExactWhenAllPartsAre) {
  EXPECT_EQ(TotalOf(SampleBars().bars[0]), Exact(1000));
  EXPECT_FALSE(TotalOf(SampleBars().bars[1]).exact);
  const Bar most{"x", {Exact(INT64_MAX), Exact(1)}};
  EXPECT_FALSE(TotalOf(most).exact);
}

TEST(BarsExport, IsLongForProgramsAndWideForPeople) {
  Bars bars = SampleBars();
  bars.segments.resize(1);
  for (Bar& bar : bars.bars) bar.values.resize(1);
  EXPECT_EQ(ToCsv(bars),
            "bar,segment,value,value_unit\nvanilla,move,500,instructions\n"
            "instrumented,move,900,instructions\n");
  EXPECT_EQ(ToMarkdown(bars),
            "**Instructions**\n\n"
            "| segment | vanilla (instructions, exact) | instrumented (instructions, exact) |\n"
            "| --- | ---: | ---: |\n"
            "| move | 500 | 900 |\n"
            "| total | 500 | 900 |\n");
}

}  // namespace
}  // namespace tare::report
