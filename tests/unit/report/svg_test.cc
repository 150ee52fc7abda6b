// svg_test.cc: tests plots as SVG.
#include "report/svg.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "report/svg_canvas.h"
#include "samples.h"

namespace tare::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Series OneLine(std::vector<double> y) {
  Line line{"l", "s", {}, std::move(y), {}, {}};
  for (std::size_t i = 0; i < line.y.size(); ++i) line.x.push_back(static_cast<double>(i));
  return {"s", "Title", {"n"}, false, {line}, false, {}};
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(SvgSeries, EscapesNamesAndControlCharacters) {
  Series series = OneLine({1, 2});
  series.title = "</title><script>alert(1)</script>\x1b[31m";
  series.lines[0].name = "a<b>&\"c";
  const std::string svg = ToSvg(series);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("\x1b")));
  EXPECT_THAT(svg, HasSubstr("a&lt;b&gt;&amp;&quot;c"));
}

TEST(SvgSeries, AGapEndsTheLine) {
  const std::string svg = ToSvg(OneLine({1, 2, std::numeric_limits<double>::quiet_NaN(), 3, 4}));
  const std::size_t path = svg.find("<path d=\"");
  const std::string data = svg.substr(path + 9, svg.find('"', path + 9) - path - 9);
  EXPECT_EQ(Count(data, "M"), 2u);
}

TEST(SvgSeries, DifferentUnitsGetTheirOwnAxes) {
  Series series = OneLine({1, 2});
  EXPECT_EQ(Count(ToSvg(series), "rotate(-90)"), 1u);
  series.lines.push_back(series.lines[0]);
  series.lines[1].unit = "B";
  EXPECT_EQ(Count(ToSvg(series), "rotate(-90)"), 2u);
}

TEST(SvgSeries, ManyLinesAreThoseThatChangeMost) {
  Series series = OneLine({0, 1});
  for (int i = 1; i < 20; ++i) {
    series.lines.push_back(series.lines[0]);
    series.lines.back().name = fmt::format("line {}", i);
    series.lines.back().y = {0, 1.0 + i};
  }
  const std::string svg = ToSvg(series);
  EXPECT_THAT(svg, HasSubstr(">12 of 20 lines: those that change most<"));
  EXPECT_THAT(svg, HasSubstr(">line 8<"));
  EXPECT_THAT(svg, Not(HasSubstr(">line 7<")));
  for (Line& line : series.lines) line.y = {0, 1};
  EXPECT_EQ(Count(ToSvg(series), "<path d="), 12u);
}

TEST(SvgSeries, OfManyConstantLinesTheOneThatChangesIsKept) {
  Series series = OneLine({1, 1});
  for (int i = 1; i < 15; ++i) {
    series.lines.push_back(series.lines[0]);
    series.lines.back().name = fmt::format("line {}", i);
  }
  series.lines.back().y = {1, 2};
  const std::string svg = ToSvg(series);
  EXPECT_THAT(svg, HasSubstr(">line 14<"));
  EXPECT_THAT(svg, HasSubstr(">line 10<"));
  EXPECT_THAT(svg, Not(HasSubstr(">line 11<")));
  EXPECT_EQ(Count(svg, "<path d="), 12u);
}

TEST(SvgSeries, TheAxisHasSeveralRoundNumbersAndSaysItsUnitOnce) {
  Series series = OneLine({1, 2, 3});
  series.axis = {"instructions", "instructions"};
  series.lines[0].x = {3e6, 50e6, 115e6};
  const std::string svg = ToSvg(series);
  EXPECT_THAT(svg, HasSubstr(">25,000,000<"));
  EXPECT_THAT(svg, HasSubstr(">100,000,000<"));
  EXPECT_THAT(svg, HasSubstr(">instructions<"));
}

TEST(SvgSeries, NumbersHaveNoExponent) {
  Series series = OneLine({1e-9, 1e12, 3});
  series.lines[0].unit = "";
  const std::string svg = ToSvg(series);
  EXPECT_FALSE(::testing::Matches(::testing::ContainsRegex("\"-?[0-9.]+e[-+]?[0-9]+\""))(svg));
}

TEST(SvgBars, DrawsPartsInProportion) {
  const Bars bars{"b", "Bars", "", {"p", "q"}, {{"one", {Exact(1), Exact(3)}}}};
  const std::string svg = ToSvg(bars);
  EXPECT_THAT(svg, HasSubstr("<title>p: 25"));
  EXPECT_THAT(svg, HasSubstr("<title>q: 75"));
}

Bars Dots(std::vector<std::string> segments, std::vector<Bar> rows) {
  Bars bars{"d", "Dots", "", std::move(segments), std::move(rows)};
  bars.dots = true;
  return bars;
}

TEST(SvgDots, EachValueIsADotInTheColourOfItsGroup) {
  const std::string svg = ToSvg(Dots({"p", "q"}, {{"one", {Exact(1), Between(3, 2, 4, 0.95)}},
                                                  {"two", {Absent("no"), Exact(2)}}}));
  EXPECT_EQ(Count(svg, "<circle"), 3u);
  EXPECT_THAT(svg, HasSubstr(">two</text>"));
  EXPECT_THAT(svg, HasSubstr(">q</text>"));
  EXPECT_THAT(svg, HasSubstr(fmt::format("fill=\"{}\"/>", LineColour(1))));
}

TEST(SvgDots, DecadesAreLogarithmicAndZeroIsBesideThem) {
  const std::string svg =
      ToSvg(Dots({"p"}, {{"a", {Exact(10)}}, {"b", {Exact(1000000)}}, {"c", {Exact(0)}}}));
  EXPECT_THAT(svg, HasSubstr(">1,000</text>"));
  EXPECT_THAT(svg, HasSubstr(">0</text>"));
  EXPECT_EQ(Count(svg, "<circle"), 3u);
  const std::string near = ToSvg(Dots({"p"}, {{"a", {Exact(10)}}, {"b", {Exact(20)}}}));
  EXPECT_THAT(near, Not(HasSubstr(">1,000</text>")));
}

TEST(SvgDots, DecadesOfBothSignsAreMirroredAtZero) {
  const std::string svg = ToSvg(Dots({"p"}, {{"a", {Known(-9.6e6)}},
                                             {"b", {Known(0)}},
                                             {"c", {Between(-0.5, -1e7, 0.2, 0.95)}},
                                             {"d", {Known(42)}}}));
  EXPECT_EQ(Count(svg, "<circle"), 4u);
  EXPECT_THAT(svg, HasSubstr(">0</text>"));
  EXPECT_THAT(svg, HasSubstr(">-10,000,000</text>"));
  const std::string near = ToSvg(Dots({"p"}, {{"a", {Known(-3)}}, {"b", {Known(0.01)}}}));
  EXPECT_THAT(near, Not(HasSubstr(">-10</text>")));
}

TEST(SvgDots, MarksAreNamed) {
  Bars bars = Dots({"p"}, {{"a", {Known(1.02)}}});
  bars.marks = {{0.9, "-10 %"}, {1.1, "+10 %"}};
  const std::string svg = ToSvg(bars);
  EXPECT_THAT(svg, HasSubstr(">-10 %</text>"));
  EXPECT_THAT(svg, HasSubstr(">+10 %</text>"));
}

TEST(SvgTable, DrawsADotAndAnInterval) {
  const Table table{
      "t", "T", {{"name"}, {"v", "s"}}, {{"a", Between(2, 1, 3, 0.95)}, {"b", Exact(4)}}};
  const std::string svg = ToSvg(table);
  EXPECT_EQ(Count(svg, "<circle"), 2u);
  EXPECT_THAT(svg, HasSubstr(">a</text>"));
}

TEST(SvgTable, RowsOfDifferentUnitsHaveTheirOwnAxes) {
  const Table table{"t",
                    "T",
                    {{"name"}, {"value"}},
                    {{"time", WithUnit("s", Between(0.076, 0.07, 0.08, 0.95))},
                     {"share", WithUnit("%", Between(1.5, 1, 2, 0.95))},
                     {"count", Exact(242577289)}}};
  const std::string svg = ToSvg(table);
  EXPECT_THAT(svg, HasSubstr(" ms</text>"));
  EXPECT_THAT(svg, HasSubstr(" %</text>"));
  EXPECT_THAT(svg, HasSubstr(">300,000,000</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("000 %</text>")));
}

TEST(SvgTable, VerdictsDifferInShape) {
  const auto drawn = [](Verdict verdict) {
    Measured value = Between(2, 1, 3, 0.95);
    value.verdict = verdict;
    return ToSvg(Table{"t", "T", {{"name"}, {"v", "s"}}, {{"a", value}, {"b", Exact(4)}}});
  };
  EXPECT_EQ(Count(drawn(Verdict::kValid), "<circle"), 2u);
  EXPECT_EQ(Count(drawn(Verdict::kDoubtful), "<circle"), 1u);
  EXPECT_EQ(Count(drawn(Verdict::kDoubtful), "Z\" fill=\"#e69f00\""), 1u);
  EXPECT_EQ(Count(drawn(Verdict::kRefused), "stroke=\"#b3261e\" stroke-width=\"2.5\""), 1u);
}

TEST(SvgTable, ARangeOfThousandsIsLogarithmic) {
  const std::string svg =
      ToSvg(Table{"t", "T", {{"name"}, {"v"}}, {{"a", Known(1)}, {"b", Known(1e6)}}});
  EXPECT_THAT(svg, HasSubstr(">1,000</text>"));
}

TEST(SvgSeries, PointsAreNotJoined) {
  Series series = OneLine({1, 2, 3});
  EXPECT_EQ(Count(ToSvg(series), "<path"), 1u);
  series.lines[0].points = true;
  EXPECT_EQ(Count(ToSvg(series), "<path"), 0u);
  EXPECT_EQ(Count(ToSvg(series), "<circle"), 4u);  // one is in the legend
}

TEST(SvgSeries, ASinglePointShowsItsInterval) {
  Series series = OneLine({2});
  const std::size_t strokes = Count(ToSvg(series), "<line");
  series.lines[0].low = {1};
  series.lines[0].high = {3};
  EXPECT_EQ(Count(ToSvg(series), "stroke-width=\"1.5\""), 1u);
  EXPECT_GE(Count(ToSvg(series), "<line"), strokes + 3);
}

TEST(SvgSeries, LongLabelsAreInsideThePicture) {
  Series series = OneLine({1e8, 1e9});
  series.lines[0].unit = "stories";
  const std::string svg = ToSvg(series);
  const std::size_t label = svg.find(">1,000,000,000</text>");
  ASSERT_NE(label, std::string::npos);
  const std::size_t x = svg.rfind("x=\"", label) + 3;
  EXPECT_GT(std::stod(svg.substr(x)), TextWidth("1,000,000,000", 11) + 24);
}

TEST(SvgDocument, NamesThePlotsThatThereAre) {
  Document document;
  document.blocks.emplace_back(OneLine({1, 2}));
  EXPECT_TRUE(ToSvg(document, "").has_value());
  EXPECT_TRUE(ToSvg(document, "s").has_value());
  EXPECT_EQ(ToSvg(document, "x").error().message, "this result has no plot 'x'; its plots are s");
  EXPECT_EQ(ToSvg(Document{}, "").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace tare::report
