// columns_test.cc: tests units, marks and notes of table columns.
#include "report/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the column's header, then the text of each cell.
std::vector<std::string> Shown(const Column& column, const std::vector<Cell>& cells, Notes& notes) {
  std::vector<const Cell*> pointers;
  for (const Cell& cell : cells) pointers.push_back(&cell);
  const ShownColumn shown = ShowColumn(column, pointers, notes);
  std::vector<std::string> texts = {Header(shown)};
  for (const ShownCell& cell : shown.cells) texts.push_back(Flat(cell));
  return texts;
}

std::vector<std::string> Shown(const Column& column, const std::vector<Cell>& cells) {
  Notes notes(0.95);
  return Shown(column, cells, notes);
}

TEST(ShowColumn, PutsACommonUnitIntoTheHeader) {
  EXPECT_THAT(Shown({"cost", "s"}, {Between(17.12e-9, 17e-9, 17.3e-9, 0.95),
                                    Between(1.4126e-6, 1.4011e-6, 1.422e-6, 0.95)}),
              ElementsAre("cost (ns)", "17.12 [17.00, 17.30]", "1,413 [1,401, 1,422]"));
}

TEST(ShowColumn, GivesEachCellItsUnitWhenNoneSuitsAll) {
  EXPECT_THAT(Shown({"time", "s"}, {Between(3.2513e-6, 3.042e-6, 3.4605e-6, 0.95),
                                    Between(1.25, 1.24, 1.26, 0.95)}),
              ElementsAre("time", "3.25 µs [3.04, 3.46]", "1.250 s [1.240, 1.260]"));
}

TEST(ShowColumn, ConvertsDifferentUnitsOfOneKind) {
  EXPECT_THAT(Shown({"time", "s"}, {WithUnit("ns", Exact(26)), WithUnit("µs", Exact(3))}),
              ElementsAre("time (ns, exact)", "26", "3,000"));
}

TEST(ShowColumn, KeepsUnitsThatCannotBeCompared) {
  EXPECT_THAT(Shown({"size", "B"}, {Exact(65536), WithUnit("pages", Exact(16))}),
              ElementsAre("size (exact)", "64 KiB", "16 pages"));
}

TEST(ShowColumn, NeverLosesDigitsOfAnExactNumber) {
  EXPECT_THAT(Shown({"size", "B"}, {Exact(123456789)}),
              ElementsAre("size (B, exact)", "123,456,789"));
}

TEST(ShowColumn, SaysExactInTheCellWhenOthersAreNot) {
  EXPECT_THAT(Shown({"count", "reads"}, {Exact(1234567), Between(10, 9, 11, 0.95)}),
              ElementsAre("count (reads)", "1,234,567 exact", "10.0 [9.0, 11.0]"));
}

TEST(ShowColumn, CallsNoDoubtfulNumberExact) {
  Notes notes(0.95);
  EXPECT_THAT(Shown({"loads", ""}, {Doubtful(Exact(12892), "it differs from run to run")}, notes),
              ElementsAre("loads", "12,892?¹"));
  EXPECT_THAT(Shown({"loads", ""}, {Doubtful(Exact(5), "busy"), Exact(6)}, notes),
              ElementsAre("loads", "5?²", "6 exact"));
}

TEST(ShowColumn, DoesNotRepeatAUnitThatIsTheName) {
  EXPECT_THAT(Shown({"reads", "reads"}, {Exact(5)}), ElementsAre("reads (exact)", "5"));
}

TEST(ShowColumn, KeepsItsUnitWhenAllIsAbsentOrZeroOrMissing) {
  EXPECT_THAT(Shown({"cost", "s"}, {Absent("no clock"), Absent("no clock")}),
              ElementsAre("cost (s)", "-¹", "-¹"));
  EXPECT_THAT(Shown({"cost", "s"}, {Exact(0)}), ElementsAre("cost (s, exact)", "0"));
  EXPECT_THAT(Shown({"cost", "s"}, {}), ElementsAre("cost (s)"));
}

TEST(ShowColumn, ShowsTextAndNumbersOfOneColumnAlike) {
  EXPECT_THAT(Shown({"value", "s"}, {std::string("fast"), Number(0.002), Cell()}),
              ElementsAre("value", "fast", "2 ms", ""));
}

TEST(ShowColumn, MakesOutsideTextSafe) {
  EXPECT_THAT(Shown({"a_name\x1b", "\x1b[m"}, {std::string("\x1b[31m\xff"), Exact(1)}),
              ElementsAre("a name\\x1b", "\\x1b[31m\\xff", "1 \\x1b[m exact"));
}

TEST(Notes, GiveOneNumberToOneReason) {
  Notes notes(0.95);
  EXPECT_THAT(Shown({"n", ""}, {Absent("gone"), Doubtful(Exact(3), "busy"), Absent("gone")}, notes),
              ElementsAre("n", "-¹", "3?²", "-¹"));
  EXPECT_THAT(notes.lines(), ElementsAre("¹ gone", "² doubtful: busy"));
}

TEST(Notes, MarkRefusedNumbersAndOtherConfidence) {
  Notes notes(0.95);
  Measured refused = Between(10, 9, 11, 0.95);
  refused.verdict = Verdict::kRefused;
  refused.reason = "clock went back";
  Measured surer = Doubtful(Between(10, 9, 11, 0.99), "busy");
  EXPECT_EQ(notes.MarkOf(refused), "!¹");
  EXPECT_EQ(notes.MarkOf(surer), "?²,³");
  EXPECT_THAT(notes.lines(),
              ElementsAre("¹ refused: clock went back", "² doubtful: busy", "³ 99 % confidence"));
}

TEST(Notes, AreNoneForValidNumbers) {
  Notes notes(0.95);
  EXPECT_EQ(notes.MarkOf(Between(1, 0, 2, 0.95)), "");
  EXPECT_THAT(notes.lines(), IsEmpty());
}

TEST(Notes, MakeReasonsSafe) {
  Notes notes(std::nullopt);
  notes.MarkOf(Absent("\x1b[2J"));
  EXPECT_THAT(notes.lines(), ElementsAre("¹ \\x1b[2J"));
}

TEST(Notes, CountBeyondNine) {
  Notes notes(std::nullopt);
  for (int i = 0; i < 11; ++i) notes.MarkOf(Absent(std::to_string(i)));
  EXPECT_EQ(notes.MarkOf(Absent("11")), "¹²");
}

TEST(UsualConfidence, IsTheMostFrequentOne) {
  Table table{"t", "", {{"a", ""}, {"b", ""}}, {}};
  EXPECT_EQ(UsualConfidence(table), std::nullopt);
  table.rows = {{Between(1, 0, 2, 0.99), Between(1, 0, 2, 0.95)},
                {Between(1, 0, 2, 0.95), Exact(1)}};
  EXPECT_EQ(UsualConfidence(table), 0.95);
}

}  // namespace
}  // namespace tare::report
