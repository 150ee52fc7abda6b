// why_tables_test.cc: tests the tables of causes, and of effects that are too small to be causes.
#include "cli/commands/why/why_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using why::Factor;

// A count of a million that varies by 8 instructions with the dispatch.
why::WhyReport Report(bool negligible) {
  why::Answer answer;
  answer.findings.fixed = {1e6, 1e6, 1e6};
  answer.findings.repeats = true;
  answer.findings.min_effect = negligible ? 0.001 : 0;
  answer.findings.causes.push_back({.factors = {Factor::kDispatch},
                                    .effect = Between(8, 8, 8, 0.95),
                                    .largest = 8,
                                    .p = 0.001,
                                    .significant = !negligible,
                                    .negligible = negligible,
                                    .levels = 1});
  why::WhyReport report;
  report.answers.push_back(answer);
  return report;
}

std::string SignificantCell(const why::WhyReport& report) {
  const auto table = CausesTable(report, 0.95, false);
  return std::get<std::string>(table.rows.at(0).at(4));
}

TEST(WhySummary, ANegligibleEffectIsNoCause) {
  const auto report = Report(true);
  EXPECT_EQ(SignificantCell(report), "negligible");
  const std::string text = WhySummary(report, "main");
  EXPECT_THAT(text, HasSubstr("No tested factor changes the count by 0.1 % or more."));
  EXPECT_THAT(text, HasSubstr("Negligible: dispatch (at most 8 instructions, 0.0008 %)."));
}

TEST(WhySummary, WithoutMinEffectItIsACause) {
  const auto report = Report(false);
  EXPECT_EQ(SignificantCell(report), "yes");
  const std::string text = WhySummary(report, "main");
  EXPECT_THAT(text, HasSubstr("change the count: 8 instructions, 0.0008 % more."));
  EXPECT_THAT(text, Not(HasSubstr("Negligible")));
}

TEST(WhySummary, VariationBelowMinEffectIsNegligible) {
  why::WhyReport report;
  why::Answer answer;
  answer.findings.fixed = {1e6, 1e6 + 2, 1e6};
  answer.findings.min_effect = 0.001;
  answer.findings.negligible_scatter = true;
  answer.suspects = {{Factor::kThreads, "2 threads"}};
  report.answers.push_back(answer);
  EXPECT_EQ(SignificantCell(report), "negligible");
  EXPECT_THAT(WhySummary(report, ""),
              HasSubstr("It varies even with all factors fixed, by less than 0.1 %, because of"));
}

why::WhyReport ReportOfTimes(std::size_t levels, double detectable) {
  why::Answer answer;
  answer.response = why::Response::kTime;
  answer.findings.fixed = {1, 1.5, 2, 1.2};
  answer.findings.detectable = detectable;
  answer.findings.cleared = {{Factor::kStack, levels}};
  answer.findings.out_of_budget = levels == 0;
  why::WhyReport report;
  report.answers.push_back(answer);
  return report;
}

TEST(WhySummary, WithoutTestsItClaimsNothingAboutThem) {
  const std::string text = WhySummary(ReportOfTimes(0, 0.1), "");
  EXPECT_THAT(text, HasSubstr("It is not known what changes the time."));
  EXPECT_THAT(text, Not(HasSubstr("No tested factor")));
}

TEST(WhySummary, SaysHowLongTheNextStepTakes) {
  why::WhyReport report = ReportOfTimes(0, 0.1);
  report.answers.front().wanted_seconds = 23.7;
  EXPECT_THAT(WhySummary(report, ""),
              HasSubstr("the rest of the budget is too short for about 24 s of runs: stack;"));
}

TEST(WhySummary, SaysWhatScatterCanHide) {
  EXPECT_THAT(WhySummary(ReportOfTimes(6, 1.9), ""),
              HasSubstr("No tested factor was found to change the time by 190 % or more. "));
  EXPECT_THAT(WhySummary(ReportOfTimes(6, 0.1), ""),
              HasSubstr("No tested factor was found to change the time. "));
}

TEST(WhySummary, WhatCannotBeVariedIsNotSaidToBeFixed) {
  auto report = ReportOfTimes(6, 0.1);
  EXPECT_THAT(WhySummary(report, ""), HasSubstr("With all factors fixed, half"));
  report.answers[0].absences = {{Factor::kCore, "one processor"}};
  EXPECT_THAT(WhySummary(report, ""),
              HasSubstr("With all factors fixed that can be fixed here, half"));
}

TEST(WhySamplesTable, HasEachRunWithItsLevels) {
  why::WhyReport report = ReportOfTimes(6, 0.1);
  report.answers[0].findings.samples = {{{}, 1.5},
                                        {{{Factor::kStack, 3}, {Factor::kHeap, 2}}, 2.5}};
  const auto table = WhySamplesTable(report);
  ASSERT_EQ(table.rows.size(), 2);
  EXPECT_EQ(std::get<std::string>(table.rows[0][2]), "");
  EXPECT_EQ(std::get<std::string>(table.rows[1][2]), "stack:3 heap:2");
  EXPECT_EQ(std::get<Measured>(table.rows[1][3]).Value(), 2.5);
  EXPECT_EQ(std::get<Measured>(table.rows[1][3]).unit, "s");
}

TEST(FixText, SaysThatThereIsNothingToFix) {
  EXPECT_EQ(FixText({}),
            "\n\n# no cause was found that could be fixed; see tare why without --fix");
}

}  // namespace
}  // namespace tare::cli
