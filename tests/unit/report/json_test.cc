// json_test.cc: tests that documents survive a round trip, and that other JSON is rejected.
#include "report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "samples.h"

namespace tare::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document WithCell(Cell cell) {
  Document document;
  document.blocks = {Table{"t", "", {{"c", ""}}, {{std::move(cell)}}}};
  return document;
}

Cell OnlyCell(const Document& document) {
  return std::get<Table>(document.blocks.at(0)).rows.at(0).at(0);
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string MessageOf(std::string_view text) {
  const auto document = FromJson(text);
  if (document) return "it was read";
  EXPECT_EQ(document.error().kind, ErrorKind::kFormat);
  EXPECT_EQ(document.error().message.find('\n'), std::string::npos);
  return document.error().message;
}

TEST(ToJson, LooksAsDocumented) {
  Document document = WithCell(Between(1.5, 1, 2, 0.95));
  document.version = "0.1.0";
  document.command = "timer";
  document.title = "Clocks";
  EXPECT_EQ(ToJson(document), R"({
  "tare": "0.1.0",
  "format": 1,
  "command": "timer",
  "title": "Clocks",
  "blocks": [
    {
      "kind": "table",
      "id": "t",
      "title": "",
      "columns": [{"name": "c", "unit": ""}],
      "rows": [
        [{"value": 1.5, "low": 1.0, "high": 2.0, "exact": false, "confidence": 0.95, "verdict": "valid", "reason": null}]
      ]
    }
  ],
  "caveats": [],
  "provenance": {
    "machine": "",
    "kernel": "",
    "command_line": [],
    "settings": {},
    "seed": null,
    "time": ""
  }
}
)");
}

TEST(ToJson, SourcesOfBlocksAndColumnsSurvive) {
  Document document = SampleDocument();
  document.blocks.emplace_back(SampleBars());
  for (Block& block : document.blocks) {
    std::visit(
        [](auto& part) {
          if constexpr (requires { part.source; }) part.source = "a clock";
        },
        block);
  }
  std::get<Table>(document.blocks[0]).columns[1].source = "another clock";
  const std::string json = ToJson(document);
  EXPECT_THAT(json, HasSubstr(R"("source": "another clock")"));
  const auto again = FromJson(json);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, document);
}

TEST(ToJson, PointsAndTheirVerdictSurviveInFormatFour) {
  Document document = SampleDocument();
  Line& line = std::get<Series>(document.blocks[1]).lines[0];
  line.verdict = Verdict::kDoubtful;
  line.reason = "few runs";
  line.source = "a clock";
  EXPECT_EQ(FormatOf(document), 1);
  line.points = true;
  EXPECT_EQ(FormatOf(document), 4);
  const auto again = FromJson(ToJson(document));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, document);
}

TEST(ToJson, WritesTheSourceOfANumberThatHasItsOwn) {
  const Document document = WithCell(WithSource("published", Exact(7)));
  const std::string json = ToJson(document);
  EXPECT_THAT(json, HasSubstr(R"("exact": true, "source": "published", "verdict")"));
  const auto again = FromJson(json);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, document);
}

TEST(FromJson, ReadsWhatToJsonWrote) {
  const Document document = SampleDocument();
  const auto again = FromJson(ToJson(document));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, document);
}

TEST(FromJson, ReadsAnyDocumentBackAndWritesItAlike) {
  DocumentMaker maker(20240501);
  for (int i = 0; i < 2000; ++i) {
    const Document document = maker.Make();
    const std::string json = ToJson(document);
    const auto again = FromJson(json);
    ASSERT_TRUE(again) << again.error().message << "\n" << json;
    ASSERT_EQ(*again, document) << json;
    ASSERT_EQ(ToJson(*again), json);
  }
}

TEST(FromJson, KeepsWholeNumbersWholeAndDoublesDouble) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  for (const Number number :
       {Number(kMax), Number(kMin), Number(std::int64_t{0}), Number(5.0), Number(0.1),
        Number(1e300), Number(5e-324), Number(1.7976931348623157e308)}) {
    const auto again = FromJson(ToJson(WithCell(number)));
    ASSERT_TRUE(again);
    EXPECT_EQ(std::get<Number>(OnlyCell(*again)), number);
  }
}

TEST(FromJson, KeepsTheSignOfZero) {
  const auto again = FromJson(ToJson(WithCell(Number(-0.0))));
  ASSERT_TRUE(again);
  EXPECT_TRUE(std::signbit(std::get<double>(std::get<Number>(OnlyCell(*again)))));
}

TEST(FromJson, TakesWholeNumbersBeyondTheRangeAsDoubles) {
  const std::string json = ToJson(WithCell(Number(std::int64_t{123456})));
  const auto big = FromJson(Replaced(json, "123456", "18446744073709551615"));
  ASSERT_TRUE(big);
  EXPECT_EQ(std::get<double>(std::get<Number>(OnlyCell(*big))), 0x1p64);
}

TEST(ToJson, WritesGapsOfALineAsNull) {
  Document document;
  const double gap = std::numeric_limits<double>::quiet_NaN();
  const double far = std::numeric_limits<double>::infinity();
  document.blocks = {Series{"s", "", {}, false, {{"l", "", {1, 2, 3}, {4, gap, far}, {}, {}}}}};
  const std::string json = ToJson(document);
  EXPECT_THAT(json, HasSubstr("\"y\": [4.0, null, null]"));
  const auto again = FromJson(json);
  ASSERT_TRUE(again);
  const Line line = std::get<Series>(again->blocks[0]).lines[0];
  EXPECT_EQ(line.x, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(line.y[0], 4);
  EXPECT_TRUE(std::isnan(line.y[1]));
  EXPECT_TRUE(std::isnan(line.y[2]));
}

TEST(ToJson, WritesNumbersThatAreNotFiniteAsNull) {
  Measured measured = Between(std::numeric_limits<double>::infinity(), -1,
                              std::numeric_limits<double>::infinity(), 0.95);
  const auto again = FromJson(ToJson(WithCell(measured)));
  ASSERT_TRUE(again) << again.error().message;
  const auto read = std::get<Measured>(OnlyCell(*again));
  EXPECT_FALSE(read.value);
  EXPECT_EQ(read.low, -1);
  EXPECT_FALSE(read.high);
}

TEST(ToJson, ReplacesBytesThatAreNotUtf8) {
  const std::string bad = "a\xff\xc0\xaf\xed\xa0\x80z";
  const auto again = FromJson(ToJson(WithCell(bad)));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(std::get<std::string>(OnlyCell(*again)), "a\\xff\\xc0\\xaf\\xed\\xa0\\x80z");
}

TEST(ToJson, EscapesTerminalSequences) {
  const std::string hostile = "\x1b]0;x\x07\u009b31m\u202e\x7f\r\U000e0041";
  const std::string json = ToJson(WithCell(hostile));
  for (const char c : json) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f));
  const auto again = FromJson(json);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(std::get<std::string>(OnlyCell(*again)), hostile);
}

TEST(FromJson, ReadsAStringOfAMegabyte) {
  const Document document = WithCell(std::string(1 << 20, '"'));
  const auto again = FromJson(ToJson(document));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, document);
}

TEST(FromJson, NamesBothVersionsOfAnotherFormat) {
  const std::string json = Replaced(ToJson(SampleDocument()), "\"format\": 1", "\"format\": 7");
  const std::string message = MessageOf(json);
  EXPECT_THAT(message, HasSubstr("format 7"));
  EXPECT_THAT(message, HasSubstr("format 5"));
}

TEST(FromJson, IgnoresFieldsThatItDoesNotKnow) {
  const Document document = SampleDocument();
  const auto again =
      FromJson(Replaced(ToJson(document), "\"command\"", "\"colour\": [1, {}], \"command\""));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, document);
}

TEST(FromJson, NamesThePlaceOfWhatIsWrong) {
  const std::string json = ToJson(SampleDocument());
  EXPECT_THAT(MessageOf(Replaced(json, "\"exact\": false", "\"exact\": 0")),
              HasSubstr("blocks[0].rows[0][1].exact is neither true nor false"));
  EXPECT_THAT(MessageOf(Replaced(json, "\"kernel\"", "\"colonel\"")),
              HasSubstr("provenance has no field 'kernel'"));
}

TEST(FromJson, RefusesWhatIsNotADocument) {
  const std::string json = ToJson(SampleDocument());
  struct Wrong {
    const char* from;
    const char* to;
    const char* why;
  };
  const Wrong wrongs[] = {
      {"\"low\": 3.042e-06", "\"low\": 9.0", "low above its high"},
      {"\"low\": 3.042e-06", "\"low\": 1e999", "too large"},
      {"\"low\": 3.042e-06", "\"low\": NaN", "not JSON"},
      {"\"low\": 3.042e-06", "\"low\": \"3\"", "not a number"},
      {"\"confidence\": 0.95", "\"confidence\": 95", "confidence"},
      {"\"verdict\": \"valid\"", "\"verdict\": \"good\"", "valid, doubtful or refused"},
      {"\"kind\": \"tree\"", "\"kind\": \"bush\"", "table, series, tree"},
      {"[null, null, null, null]", "[null, null, null]", "3 cells for 4 columns"},
      {"[null, null, null, null]", "[null, null, null, true]", "not an object"},
      {"\"cells\": [null]", "\"cells\": []", "0 cells for 1 columns"},
      {"\"x\": [4096.0, 8192.0]", "\"x\": [4096.0]", "different lengths"},
      {"\"low\": [1e-09, 1e-09, 3e-09]", "\"low\": [1e-09]", "not as many"},
      {"\"low\": [1e-09, 1e-09, 3e-09]", "\"low\": []", "low without high"},
      {"\"low\": [1e-09, 1e-09, 3e-09]", "\"low\": [1e-09, 1e-09, 1]", "low above its high"},
      {"\"start\": 1.0", "\"start\": 2.0", "ends before it starts"},
      {"\"seed\": 18446744073709551615", "\"seed\": -1", "whole number"},
      {"\"settings\": {\"runs\": \"20\"}", "\"settings\": {\"runs\": 20}", "not text"},
      {"\"format\": 1", "\"format\": \"1\"", "whole number"},
  };
  for (const Wrong& wrong : wrongs) {
    EXPECT_THAT(MessageOf(Replaced(json, wrong.from, wrong.to)), HasSubstr(wrong.why)) << wrong.to;
  }
  for (const char* text : {"", "null", "[]", "{}", "3", "\"tare\"", "{\"tare\": 1}", "nul"}) {
    EXPECT_THAT(MessageOf(text), Not(HasSubstr("it was read"))) << text;
  }
}

TEST(FromJson, SaysWhichLineIsNotJson) {
  EXPECT_THAT(MessageOf("{\n\"tare\": \"x\",\n oops}"), HasSubstr("line 3"));
}

Document Chain(std::size_t depth) {
  Tree tree{"t", "", {}, {}};
  TreeNode node{"leaf", {}, {}};
  for (std::size_t i = 1; i < depth; ++i) {
    TreeNode parent{"n", {}, {}};
    parent.children.push_back(std::move(node));
    node = std::move(parent);
  }
  tree.roots.push_back(std::move(node));
  Document document;
  document.blocks.push_back(std::move(tree));
  return document;
}

TEST(FromJson, ReadsTheDeepestTreeAndRefusesMuchDeeperOnes) {
  const Document deepest = Chain(kDeepestTree);
  const auto again = FromJson(ToJson(deepest));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, deepest);
  EXPECT_THAT(MessageOf(ToJson(Chain(kDeepestTree + 10))), HasSubstr("nested deeper"));
}

TEST(FromJson, SurvivesHostileNesting) {
  EXPECT_THAT(MessageOf(std::string(5'000'000, '[')), HasSubstr("nested deeper"));
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(MessageOf(objects), HasSubstr("nested deeper"));
  // Brackets inside strings are not nesting.
  const Document document = WithCell("\\\"" + std::string(5000, '['));
  const auto again = FromJson(ToJson(document));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, document);
}

TEST(FromJson, RefusesADocumentCutOffAnywhere) {
  const std::string json = ToJson(SampleDocument());
  // The text is complete without its final newline.
  for (std::size_t length = 0; length + 1 < json.size(); ++length) {
    ASSERT_FALSE(FromJson(std::string_view(json).substr(0, length))) << length;
  }
}

TEST(FromJson, SurvivesAnyByteReplaced) {
  constexpr std::string_view kBytes("\0\xff\"{]9-e", 8);
  const std::string json = ToJson(SampleDocument());
  for (std::size_t at = 0; at < json.size(); ++at) {
    for (const std::size_t turn : {0u, 3u, 6u}) {
      std::string damaged = json;
      damaged[at] = kBytes[(at + turn) % kBytes.size()];
      const auto document = FromJson(damaged);
      // What still parses must be a document that can be written and read again.
      if (document) {
        const auto again = FromJson(ToJson(*document));
        ASSERT_TRUE(again) << at;
        ASSERT_EQ(*again, *document) << at;
      }
    }
  }
}

}  // namespace
}  // namespace tare::report
