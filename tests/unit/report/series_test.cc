// series_test.cc: tests drawing, saving and exporting of series with logarithmic values and marks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/printable.h"
#include "report/export.h"
#include "report/json.h"
#include "report/series_table.h"
#include "report/text.h"

namespace tare::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document SeriesOf(Block block) {
  Document document;
  document.blocks.push_back(std::move(block));
  return document;
}

std::string Drawn(const Series& series, std::size_t width = 80) {
  return ToText(SeriesOf(series), {.width = width});
}

std::size_t Occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// Two steps down, at 64 KiB and 1 MiB.
Series Steps() {
  Series series{"bandwidth", "", {"working_set", "B"}, true, {}, true, {}};
  series.lines = {{"load",
                   "B/s",
                   {0x1p10, 0x1p15, 0x1p18, 0x1p20, 0x1p24},
                   {100e9, 100e9, 50e9, 50e9, 10e9},
                   {},
                   {}}};
  series.marks = {{0x1p16, "L1 64 KiB"}, {0x1p20, "L2 1 MiB"}};
  return series;
}

TEST(SeriesText, HasDecadesOnALogarithmicAxisOfValues) {
  const std::string text = Drawn(Steps());
  EXPECT_THAT(text, HasSubstr("100 GB/s ┤"));
  EXPECT_THAT(text, HasSubstr("10 GB/s ┤"));
  EXPECT_THAT(text, Not(HasSubstr(" 0 B/s")));
  EXPECT_THAT(text, HasSubstr("working set (both axes logarithmic)"));
}

TEST(SeriesText, SetsLabelsOverMarksAndADottedLineBelow) {
  const std::string text = Drawn(Steps());
  const std::string first = text.substr(0, text.find('\n'));
  const auto middle = first.find("L1 64 KiB") + 4;
  EXPECT_THAT(first, HasSubstr("L1 64 KiB"));
  EXPECT_THAT(first, HasSubstr("L2 1 MiB"));
  // A row without a line has both marks; the first of them is below its label.
  std::size_t marked = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    if (Occurrences(line, "┊") != 2) continue;
    ++marked;
    EXPECT_EQ(DisplayWidth(line.substr(0, line.find("┊"))), middle);
  }
  EXPECT_GE(marked, 5u);
}

TEST(SeriesText, MarksBeyondTheAxisAreNotDrawn) {
  Series series = Steps();
  series.marks = {{0x1p30, "L4"}, {-1, "nowhere"}};
  EXPECT_THAT(Drawn(series), Not(HasSubstr("┊")));
  EXPECT_THAT(Drawn(series), Not(HasSubstr("L4")));
}

TEST(SeriesText, LabelsThatWouldTouchAreOnTwoRows) {
  Series series = Steps();
  series.marks = {{0x1p16, "first label"}, {0x1p17, "second label"}, {0x1p18, "third"}};
  const std::string text = Drawn(series, 60);
  EXPECT_LT(text.find("first label"), text.find('\n'));
  EXPECT_GT(text.find("second label"), text.find('\n'));
}

TEST(SeriesText, GivesEachOfEightLinesALetterOfItsOwnOnALogarithmicScale) {
  Series series{"s", "", {"x", "B"}, true, {}, true, {}};
  double value = 1e9;
  for (const char* name : {"one", "two", "three", "four", "five", "six", "seven", "eight"}) {
    series.lines.push_back({name, "B/s", {1024, 65536}, {value, value}, {}, {}});
    value *= 3;
  }
  const std::string text = Drawn(series);
  // On the line, at its end and in the legend.
  const std::string plot = text.substr(0, text.find("└"));
  for (const char letter : std::string("abcdefgh")) {
    EXPECT_EQ(Occurrences(plot, std::string("⠒") + letter) +
                  Occurrences(plot, std::string("⠉") + letter) +
                  Occurrences(plot, std::string("⠤") + letter) +
                  Occurrences(plot, std::string("⣀") + letter),
              1u)
        << letter << "\n"
        << text;
  }
  EXPECT_THAT(text, HasSubstr("\nh eight: "));
}

TEST(SeriesText, SaysHowWideIntervalsAreInPartsOfALogarithmicValue) {
  Series series = Steps();
  series.lines[0].low = {98e9, 98e9, 49e9, 49e9, 9.8e9};
  series.lines[0].high = {102e9, 102e9, 51e9, 51e9, 10.2e9};
  EXPECT_THAT(Drawn(series), HasSubstr("load: 10 to 100 GB/s, typically ± 2 %"));
}

TEST(SeriesText, ZeroHasNoPlaceOnANarrowLogarithmicPlot) {
  Series series = Steps();
  series.lines[0].low = series.lines[0].high = {};
  series.lines[0].y = {0, 1e9, 1e10, -1, 1e9};
  EXPECT_THAT(ToText(SeriesOf(series), {.width = 30}), HasSubstr("\n ▁█ ▁\n"));
}

TEST(SeriesJson, WhatIsWrittenReadsAsTheSame) {
  const Document document = SeriesOf(Steps());
  const auto again = FromJson(ToJson(document));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, document);
}

TEST(SeriesJson, PlainOnesStayInTheOldFormat) {
  Series series = Steps();
  EXPECT_EQ(FormatOf(SeriesOf(series)), 3);
  series.marks.clear();
  EXPECT_EQ(FormatOf(SeriesOf(series)), 3);
  series.log_values = false;
  EXPECT_EQ(FormatOf(SeriesOf(series)), 1);
  EXPECT_THAT(ToJson(SeriesOf(series)), Not(HasSubstr("log_values")));
  EXPECT_THAT(ToJson(SeriesOf(series)), Not(HasSubstr("marks")));
}

TEST(SeriesJson, RefusesAMarkWithoutAPlace) {
  std::string json = ToJson(SeriesOf(Steps()));
  const std::string place = "\"x\": 65536.0, \"label\"";
  ASSERT_THAT(json, HasSubstr(place));
  json.replace(json.find(place), place.size(), "\"x\": null, \"label\"");
  const auto document = FromJson(json);
  ASSERT_FALSE(document);
  EXPECT_THAT(document.error().message, HasSubstr("blocks[0].marks[0].x"));
}

TEST(SeriesExport, HasARowForEachPlaceAndAColumnForEachLine) {
  Series series{"s", "", {"size", "B"}, false, {}};
  series.lines = {{"load", "B/s", {1, 2}, {10, 20}, {9, 19}, {11, 21}},
                  {"store", "B/s", {2, 3}, {5, 6}, {}, {}}};
  EXPECT_EQ(ToCsv(series),
            "size,load,load_low,load_high,load_unit,store,store_unit\n"
            "1,10,9,11,B/s,,\n"
            "2,20,19,21,B/s,5,B/s\n"
            "3,,,,,6,B/s\n");
  EXPECT_THAT(ToMarkdown(series), HasSubstr("| 2 "));
}

TEST(SeriesExport, LeavesGapsOutAndKeepsPlacesThatComeTwice) {
  const double gap = std::numeric_limits<double>::quiet_NaN();
  const Series series{"s", "", {"x"}, false, {{"l", "", {1, 2, 2}, {gap, 4, 5}, {}, {}}}};
  EXPECT_EQ(ToCsv(series), "x,l\n2,4\n2,5\n");
}

}  // namespace
}  // namespace tare::report
