// text_test.cc: tests the text rendering of documents.
#include "report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/printable.h"
#include "samples.h"

namespace tare::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document TextOf(Block block) {
  Document document;
  document.blocks.push_back(std::move(block));
  return document;
}

std::string Text100(const Document& document) { return ToText(document, {}); }

std::vector<std::string> TextLinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return lines;
}

std::string WithoutColour(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      plain += text[i];
    }
  }
  return plain;
}

Table Clocks() {
  Table table{"clocks", "Clocks", {{"clock", ""}, {"cost", "s"}, {"steps_back", ""}}, {}};
  table.rows = {
      {std::string("rdtsc"), Between(17.1234e-9, 17.05e-9, 17.2e-9, 0.95), Exact(0)},
      {std::string("monotonic"), Doubtful(Between(243.12e-9, 238e-9, 261e-9, 0.95), "outliers"),
       Exact(1234567)},
      {std::string("cpuid"), Between(1.4126e-6, 1.4011e-6, 1.422e-6, 0.95), Absent("not tried")},
  };
  return table;
}

TEST(ToText, AlignsATableAtTheDecimalPoint) {
  EXPECT_EQ(ToText(TextOf(Clocks()), {.quiet = true}),
            "Clocks\n"
            "clock                    cost (ns)  steps back (exact)\n"
            "─────────  ───────────────────────  ──────────────────\n"
            "rdtsc         17.12 [17.05, 17.20]                  0\n"
            "monotonic    243?¹  [238, 261]              1,234,567\n"
            "cpuid      1,413    [1,401, 1,422]                  -²\n"
            "¹ doubtful: outliers\n"
            "² not tried\n");
}

TEST(ToText, SetsARowAsLinesWhenTheTableIsTooWide) {
  EXPECT_EQ(ToText(TextOf(Clocks()), {.width = 44, .quiet = true}),
            "Clocks\n"
            "clock:      rdtsc\n"
            "cost:       17.12 ns [17.05, 17.20]\n"
            "steps back: 0 exact\n"
            "\n"
            "clock:      monotonic\n"
            "cost:       243 ns?¹ [238, 261]\n"
            "steps back: 1,234,567 exact\n"
            "\n"
            "clock:      cpuid\n"
            "cost:       1,413 ns [1,401, 1,422]\n"
            "steps back: -²\n"
            "¹ doubtful: outliers\n"
            "² not tried\n");
}

TEST(ToText, WrapsHeadersBeforeText) {
  EXPECT_EQ(TextLinesOf(ToText(TextOf(Clocks()), {.width = 50, .quiet = true}))[2],
            "clock                    cost (ns)         (exact)");
}

TEST(ToText, CutsWordsOfHeadersBeforeItGivesUpTheGrid) {
  Table table{
      "t", "", {{"function", ""}, {"unconditional_branches", ""}, {"unclassified", ""}}, {}};
  table.rows.push_back({std::string("main"), Number{std::int64_t{7}}, Number{std::int64_t{9}}});
  EXPECT_EQ(TextLinesOf(ToText(TextOf(table), {.width = 26, .quiet = true}))[0],
            "          uncond.");
  EXPECT_EQ(TextLinesOf(ToText(TextOf(table), {.width = 26, .quiet = true}))[1],
            "function  branch.  unclas.");
}

TEST(ToText, SaysOnceThatAManyColumnedTableIsExact) {
  Table table{"t", "", {{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}}, {}};
  table.rows.push_back({Exact(1), Exact(2), Exact(3), Exact(4)});
  EXPECT_EQ(Text100(TextOf(table)), "a  b  c  d\n─  ─  ─  ─\n1  2  3  4\nall numbers are exact\n");
  table.columns.push_back({"e", ""});
  table.rows[0].push_back(Between(5, 4, 6, 0.95));
  EXPECT_EQ(TextLinesOf(Text100(TextOf(table)))[0].find("exact") != std::string::npos, true);
}

TEST(ToText, WrapsTextWithinItsColumn) {
  const Table table{"t",
                    "",
                    {{"key", ""}, {"advice", ""}},
                    {{std::string("governor"), std::string("set it to performance meanwhile")}}};
  EXPECT_EQ(ToText(TextOf(table), {.width = 30}),
            "key       advice\n"
            "────────  ────────────────────\n"
            "governor  set it to\n"
            "            performance\n"
            "            meanwhile\n");
}

TEST(ToText, ShowsTablesWithoutRowsOrColumns) {
  EXPECT_EQ(Text100(TextOf(Table{"t", "Nothing", {{"a", ""}, {"b", "s"}}, {}})),
            "Nothing\na  b (s)\n─  ─────\nnone\n");
  EXPECT_EQ(Text100(TextOf(Table{"t", "Nothing", {}, {}})), "Nothing\nnone\n");
  EXPECT_EQ(Text100(Document{}), "");
}

TEST(ToText, ShowsAColumnWithoutASingleValue) {
  const Table table{
      "t",
      "",
      {{"a", ""}, {"b", "s"}},
      {{std::string("x"), Absent("no clock")}, {std::string("y"), Absent("no clock")}}};
  EXPECT_EQ(Text100(TextOf(table)), "a  b (s)\n─  ─────\nx     -¹\ny     -¹\n¹ no clock\n");
}

TEST(ToText, DrawsATreeWithGuides) {
  const std::string text = Text100(TextOf(SampleDocument().blocks[2]));
  EXPECT_EQ(text,
            "Calls\n"
            "            self (%, exact)\n"
            "──────────  ───────────────\n"
            "main                      3\n"
            "├─ sort                   2\n"
            "│  └─ swap                1\n"
            "└─ print\n");
}

TEST(ToText, SetsTheCellsBehindTheLabelsOfATreeThatIsTooWide) {
  Tree tree = std::get<Tree>(SampleDocument().blocks[2]);
  tree.columns[0].name = "a name that takes much room";
  tree.columns[0].unit = "unpronounceable";
  EXPECT_EQ(TextLinesOf(ToText(TextOf(tree), {.width = 30}))[1], "main  a name that takes much");
}

TEST(ToText, KeepsDeepTreesWithinTheWidth) {
  TreeNode node{"leaf", {}, {}};
  for (int i = 0; i < 300; ++i) {
    TreeNode parent{"n", {}, {}};
    parent.children.push_back(std::move(node));
    node = std::move(parent);
  }
  const std::string text = ToText(TextOf(Tree{"t", "", {}, {node}}), {.width = 60});
  EXPECT_EQ(TextLinesOf(text).size(), 301u);
  for (const std::string& line : TextLinesOf(text)) EXPECT_LE(DisplayWidth(line), 60u);
}

TEST(ToText, DrawsLinesWithLettersAndALegend) {
  const std::string text = ToText(TextOf(SampleDocument().blocks[1]), {.width = 60});
  EXPECT_THAT(text, HasSubstr("6 ns ┤"));
  EXPECT_THAT(text, HasSubstr("0 ns ┤"));
  EXPECT_THAT(text, HasSubstr("4 KiB"));
  EXPECT_THAT(text, HasSubstr("16 KiB"));
  EXPECT_THAT(text, HasSubstr("size (logarithmic)"));
  EXPECT_THAT(text, HasSubstr("\na chase: 1 to 4 ns, typically ± 1 ns\n"));
  EXPECT_THAT(text, HasSubstr("\nb stride: 1 ns\n"));
}

TEST(ToText, DrawsARisingLineFromTheBottomLeftToTheTopRight) {
  Series series{"s", "", {"x", ""}, false, {{"up", "", {0, 1}, {0, 4}, {}, {}}}};
  const auto lines = TextLinesOf(ToText(TextOf(series), {.width = 44}));
  EXPECT_TRUE(lines.front().starts_with("4 ┤ ")) << lines.front();
  EXPECT_TRUE(lines.front().ends_with("⠊")) << lines.front();
  EXPECT_THAT(lines[12], HasSubstr("0 ┤⡠"));
}

TEST(ToText, LeavesGapsInALine) {
  const double gap = std::numeric_limits<double>::quiet_NaN();
  Series series{"s", "", {"x", ""}, false, {{"l", "", {0, 1, 2, 3, 4}, {1, 1, 1, 1, 1}, {}, {}}}};
  const auto drawn = [&] {
    const std::string text = ToText(TextOf(series), {.width = 60});
    std::size_t characters = 0;
    // U+2800 to U+28FF start with E2 and A0 to A3.
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      const auto next = static_cast<unsigned char>(text[i + 1]);
      characters += text[i] == '\xe2' && next >= 0xa0 && next <= 0xa3 ? 1u : 0u;
    }
    return characters;
  };
  const std::size_t whole = drawn();
  series.lines[0].y[2] = gap;
  // Two of the four intervals are missing.
  EXPECT_NEAR(static_cast<double>(drawn()), static_cast<double>(whole) / 2, 2);
  series.lines[0].y = {gap, gap, gap, gap, gap};
  EXPECT_EQ(drawn(), 0u);
  EXPECT_THAT(ToText(TextOf(series), {.width = 60}), HasSubstr("l: no points"));
}

TEST(ToText, GivesEachOfManyLinesItsOwnChart) {
  Series series{"s", "", {"x", ""}, false, {}};
  for (int i = 0; i < 5; ++i) {
    series.lines.push_back({"core " + std::to_string(i), "", {0, 1}, {0, 1.0 + i}, {}, {}});
  }
  const std::string text = ToText(TextOf(series), {.width = 60});
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(text, HasSubstr("core " + std::to_string(i) + ": 0 to " + std::to_string(i + 1)));
  }
}

TEST(ToText, ShrinksALineToBarsInANarrowSpace) {
  Series series{"s", "", {"x", ""}, false, {{"l", "s", {0, 1, 2}, {0, 0.5, 1}, {}, {}}}};
  EXPECT_EQ(ToText(TextOf(series), {.width = 30}), "l: 0 to 1 s\n▁▄█\n");
}

TEST(ToText, DrawsLanesToScale) {
  Timeline timeline{
      "t", "", "s", {{"a", {{0, 5, "work"}, {5, 10, "wait"}}}, {"b", {{7.5, 10, "work"}}}}};
  EXPECT_EQ(ToText(TextOf(timeline), {.width = 23}),
            "a  ██████████▓▓▓▓▓▓▓▓▓▓\n"
            "b                 █████\n"
            "   0 s      5 s    10 s\n"
            "█ work: 7.5 s\n"
            "▓ wait: 5 s\n");
}

TEST(ToText, ShowsSpansTooShortForACharacterAndOpenOnes) {
  const double open = std::numeric_limits<double>::quiet_NaN();
  Timeline timeline{"t", "", "s", {{"a", {{0, 1e-6, ""}, {5, open, ""}, {0, 10, "x"}}}}};
  timeline.lanes[0].spans.pop_back();
  timeline.lanes.push_back({"b", {{0, 10, ""}}});
  EXPECT_EQ(TextLinesOf(ToText(TextOf(timeline), {.width = 23}))[0], "a  │         ██████████");
}

TEST(ToText, LeavesOptionsAndCommentsReadableByAShell) {
  const Text options{"options", "--stack-offset 16 --heap-offset 32\n\n# stack: what moves it\n"};
  EXPECT_EQ(ToText(TextOf(options), {.width = 20, .quiet = true}),
            "--stack-offset 16 --heap-offset 32\n\n# stack: what moves\n# it\n");
}

TEST(ToText, KeepsParagraphsAndIndents) {
  EXPECT_EQ(ToText(TextOf(Text{"t", "one two three four five\n\n  indented text that wraps"}),
                   {.width = 20}),
            "one two three four\nfive\n\n  indented text that\n  wraps\n");
}

TEST(ToText, StatesCaveatsWithHints) {
  Document document;
  document.caveats = {{"steal", Verdict::kDoubtful, "time was taken", "4 %", "repeat"},
                      {"vm", Verdict::kValid, "a virtual machine", "", ""}};
  EXPECT_EQ(Text100(document),
            "doubtful: time was taken (4 %)\n  hint: repeat\nnote: a virtual machine\n");
  EXPECT_EQ(ToText(document, {.quiet = true}),
            "doubtful: time was taken (4 %)\nnote: a virtual machine\n");
}

TEST(ToText, EndsWithWhereItCameFrom) {
  Document document = TextOf(Clocks());
  document.version = "0.1.0";
  document.provenance = {"a machine", "Linux 6.1", {}, {}, 7, "2024-05-01T12:00:00Z"};
  EXPECT_EQ(
      TextLinesOf(Text100(document)).back(),
      "tare 0.1.0 · a machine · Linux 6.1 · 2024-05-01T12:00:00Z · seed 7 · [low, high] at 95 %");
}

TEST(ToText, UsesColourOnlyOnRequest) {
  Document document = SampleDocument();
  EXPECT_THAT(Text100(document), Not(HasSubstr("\x1b")));
  const std::string coloured = ToText(document, {.colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[1mClocks\x1b[0m"));
  EXPECT_THAT(coloured, HasSubstr("\x1b[33mdoubtful\x1b[0m: "));
  EXPECT_THAT(coloured, HasSubstr("\x1b[2m  hint: "));
  EXPECT_THAT(coloured, HasSubstr("\x1b[33m243?"));
}

TEST(ToText, LooksTheSameWithAndWithoutColour) {
  DocumentMaker maker(7);
  for (int i = 0; i < 300; ++i) {
    const Document document = maker.Make();
    ASSERT_EQ(WithoutColour(ToText(document, {.colour = true})), Text100(document));
  }
}

TEST(ToText, FitsTheWidthWhateverTheDocument) {
  DocumentMaker maker(42);
  for (int i = 0; i < 600; ++i) {
    const Document document = maker.Make();
    for (const std::size_t width : {1u, 20u, 39u, 40u, 60u, 100u, 160u}) {
      const std::string text = ToText(document, {.width = width});
      for (const std::string& line : TextLinesOf(text)) {
        ASSERT_LE(DisplayWidth(line), std::max<std::size_t>(width, 20)) << line << "\n" << text;
        ASSERT_FALSE(line.ends_with(' ')) << line << "|";
        ASSERT_EQ(Printable(line), line);
      }
    }
  }
}

TEST(ToText, EscapesAllTextOfTheDocument) {
  const std::string hostile = "\x1b]0;title\x07\x1b[2J\u202e\u009b31m\r\xff</script>";
  Document document{hostile, hostile, hostile, {}, {}, {}};
  document.blocks = {
      Table{hostile,
            hostile,
            {{hostile, hostile}, {hostile, hostile}},
            {{hostile, WithUnit(hostile, Doubtful(Exact(1), hostile))}}},
      Series{hostile,
             hostile,
             {hostile, hostile},
             false,
             {{hostile, hostile, {1, 2}, {1, 2}, {}, {}}}},
      Tree{hostile, hostile, {{hostile, hostile}}, {{hostile, {hostile}, {}}}},
      Timeline{hostile, hostile, hostile, {{hostile, {{0, 1, hostile}, {1, 2, "x"}}}}},
      Bars{hostile, hostile, hostile, {hostile}, {{hostile, {Doubtful(Exact(1), hostile)}}}},
      Text{hostile, hostile}};
  document.caveats = {{hostile, Verdict::kRefused, hostile, hostile, hostile}};
  document.provenance = {hostile, hostile, {hostile}, {{hostile, hostile}}, 1, hostile};
  for (const std::size_t width : {30u, 100u}) {
    for (const std::string& line : TextLinesOf(ToText(document, {.width = width}))) {
      EXPECT_EQ(Printable(line), line);
    }
  }
}

TEST(ToText, TakesTextOfAMegabyte) {
  const std::string large(1 << 20, 'x');
  const Table table{"t", large, {{"a", ""}, {"b", ""}}, {{large, Absent(large)}}};
  const std::string text = Text100(TextOf(table));
  EXPECT_GT(text.size(), 3 * large.size());
}

}  // namespace
}  // namespace tare::report
