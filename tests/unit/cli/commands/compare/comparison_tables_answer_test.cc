// comparison_tables_answer_test.cc: tests the sentences of a comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/compare/comparison_tables.h"

namespace tare::cli {
namespace {

using compare::Answer;
using testing::EndsWith;
using testing::HasSubstr;

compare::CommandCounts Counts(std::int64_t instructions,
                              std::vector<compare::FunctionCount> functions) {
  compare::CommandCounts counts;
  counts.metrics.push_back({"instructions", "", "qemu", Exact(instructions)});
  counts.functions = std::move(functions);
  return counts;
}

compare::CompareReport ReportOf(Answer answer, Measured ratio) {
  compare::CompareReport report;
  report.labels = {"./old", "./new"};
  report.layouts = 12;
  report.answers.resize(2);
  report.answers[1].answer = answer;
  report.answers[1].ratio = std::move(ratio);
  return report;
}

std::string AnswerOf(const compare::CompareReport& report) {
  return CompareAnswer({.report = report});
}

TEST(CompareAnswer, NamesTheSubjectWhereTheSentenceBeforeHasTwo) {
  const auto undecided = [] {
    auto report = ReportOf(Answer::kUndecided, Known(0.9));
    report.counts = {Counts(1000, {}), Counts(900, {})};
    return AnswerOf(report);
  };
  EXPECT_THAT(undecided(), EndsWith("too few runs for an answer. './new' executes 10 % fewer "
                                    "instructions, but was not shown to be faster."));
  auto faster = ReportOf(Answer::kFaster, Between(0.9, 0.88, 0.92, 0.95));
  faster.counts = {Counts(1000, {}), Counts(900, {})};
  EXPECT_EQ(AnswerOf(faster),
            "'./new' is 10 % faster than './old' [8, 12] over 12 layouts. It executes 10 % fewer "
            "instructions.");
}

TEST(CompareAnswer, SaysMostlyOnlyWhereOneFunctionIsMostOfTheDifference) {
  auto report = ReportOf(Answer::kFaster, Between(0.9, 0.88, 0.92, 0.95));
  report.counts = {Counts(10'000, {{"fill", 8'000}}), Counts(9'000, {{"fill", 7'200}})};
  EXPECT_THAT(AnswerOf(report), HasSubstr("fewer instructions, mostly in fill (-800)."));
  // One function executes 5,000 fewer, others 4,000 more.
  report.counts = {Counts(10'000, {{"fill", 8'000}, {"sort", 0}}),
                   Counts(9'000, {{"fill", 3'000}, {"sort", 4'000}})};
  EXPECT_THAT(AnswerOf(report),
              HasSubstr("fewer instructions, with the largest change in fill (-5,000)."));
}

}  // namespace
}  // namespace tare::cli
