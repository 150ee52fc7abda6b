// why_test.cc: tests that planted causes are named, and what is reported about the others.
#include "analysis/why/why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/why/why_fix.h"
#include "measure/run/program.h"
#include "tests/unit/measure/count/under_engines.h"

namespace tare::why {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// Significant factors and suspects: what is reported to the user.
std::vector<Factor> Named(const Answer& answer) {
  std::vector<Factor> named;
  for (const Cause& cause : answer.findings.causes) {
    if (cause.significant) named.insert(named.end(), cause.factors.begin(), cause.factors.end());
  }
  for (const Suspect& suspect : answer.suspects) named.push_back(suspect.factor);
  return named;
}

WhyRequest RequestFor(const std::string& name) {
  WhyRequest request;
  request.program = *run::Resolve({{std::string(TARE_TEST_PROGRAMS) + "/" + name}});
  request.setting.output = run::Output::kDiscarded;
  request.responses = {Response::kCounts};
  request.budget_seconds = 1e6;  // the answer must not depend on the machine's load
  request.min_effect = 0;        // the smallest effects count, because nothing else varies
  return request;
}

Answer AnswerFor(const WhyRequest& request) {
  count::Images images;
  const auto report = FindWhy(request, count::BuiltEngines(), images, NoProgress);
  EXPECT_TRUE(report) << report.error().message;
  return report ? report->answers.at(0) : Answer{};
}

struct Planted {
  const char* program;
  Factor cause;
  std::size_t period = 0;  // of the sweep, where there is one
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.program; }

class PlantedCause : public testing::TestWithParam<Planted> {
 protected:
  void SetUp() override {
    if (const auto can = engine::CanRun(engine::Engine::kValgrind, count::BuiltEngines()); !can) {
      GTEST_SKIP() << can.error().message;
    }
  }
};

TEST_P(PlantedCause, IsNamedAloneAndNothingElse) {
  WhyRequest request = RequestFor(GetParam().program);
  // Counts that do not repeat are tested statistically: at 0.05, one answer in twenty may name a
  // factor without effect.
  if (GetParam().cause == Factor::kThreads) request.alpha = 1e-6;
  const Answer answer = AnswerFor(request);
  EXPECT_THAT(Named(answer), ElementsAre(GetParam().cause));
  // An alignment effect is distinguished from a hash of addresses.
  const bool sweeps = GetParam().cause == Factor::kStack || GetParam().cause == Factor::kHeap;
  ASSERT_EQ(answer.sweep.has_value(), sweeps);
  if (sweeps) {
    EXPECT_EQ(answer.sweep->period.value_or(0), GetParam().period);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Programs, PlantedCause,
    testing::Values(Planted{"why_stack", Factor::kStack}, Planted{"why_heap", Factor::kHeap},
                    Planted{"why_time", Factor::kTime},
                    Planted{"why_process_id", Factor::kProcessId},
                    Planted{"why_alignment", Factor::kStack, 64},
                    Planted{"why_path", Factor::kArgv0}, Planted{"why_dispatch", Factor::kDispatch},
                    Planted{"why_threads", Factor::kThreads}, Planted{"why_proc", Factor::kSystem},
                    Planted{"why_random", Factor::kRandom}),
    [](const auto& planted) { return std::string(planted.param.program); });

TEST_F(PlantedCause, NothingIsNamedInAProgramThatNothingMoves) {
  const Answer answer = AnswerFor(RequestFor("why_clean"));
  EXPECT_THAT(Named(answer), IsEmpty());
  EXPECT_TRUE(answer.findings.repeats);
}

TEST_F(PlantedCause, AnOtherEngineNamesWhatItCanVary) {
  const auto can = engine::CanRun(engine::Engine::kQemu, count::BuiltEngines());
  if (!can) GTEST_SKIP() << can.error().message;
  WhyRequest request = RequestFor("why_path");
  request.engine = engine::Engine::kQemu;
  const Answer answer = AnswerFor(request);
  EXPECT_THAT(Named(answer), ElementsAre(Factor::kArgv0));
  EXPECT_THAT(answer.absences, Contains(testing::Field(&Absence::factor, Factor::kStack)));
}

TEST(FindWhy, TimesAProgramWithoutAnyEngine) {
  WhyRequest request = RequestFor("why_clean");
  request.responses = {Response::kTime};
  request.budget_seconds = 5;
  const Answer answer = AnswerFor(request);
  EXPECT_FALSE(answer.findings.repeats);
  EXPECT_GT(answer.findings.fixed.at(0), 0);
}

TEST(FindWhy, SaysWhichEngineIsMissing) {
  count::Images images;
  const auto report = FindWhy(RequestFor("why_clean"), host::EngineFiles{}, images, NoProgress);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::kUnsupported);
}

TEST(FindWhy, TimesWhereNothingCanCount) {
  WhyRequest request = RequestFor("why_clean");
  request.responses = {Response::kCounts, Response::kTime};
  request.budget_seconds = 5;
  count::Images images;
  const auto report = FindWhy(request, host::EngineFiles{}, images, NoProgress);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->unanswered.size(), 1);
  EXPECT_EQ(report->unanswered[0].response, Response::kCounts);
  EXPECT_EQ(report->answers.size(), 1);
}

TEST(PeriodOf, FindsTheSmallestPowerOfTwo) {
  std::vector<double> response;
  for (int i = 0; i < 33; ++i) response.push_back(i % 4);
  EXPECT_EQ(PeriodOf(response, 16), 64);
  response[32] = 7;
  EXPECT_EQ(PeriodOf(response, 16), std::nullopt);
  EXPECT_EQ(PeriodOf(std::vector<double>(33, 5), 16), std::nullopt);
}

TEST(FixesFor, NamesTheOptionOnceAndStatesWhatCannotBeFixed) {
  WhyReport report;
  report.fixed.environment_bytes = 2048;
  Answer answer;
  answer.findings.causes.push_back(
      {.factors = {Factor::kStack}, .effect = {}, .significant = true});
  answer.findings.causes.push_back(
      {.factors = {Factor::kStack, Factor::kTime}, .effect = {}, .significant = true});
  answer.findings.causes.push_back({.factors = {Factor::kHeap}, .effect = {}});
  report.answers.push_back(answer);
  const auto fixes = FixesFor(report);
  ASSERT_EQ(fixes.size(), 2);
  EXPECT_EQ(fixes[0].option, "--env-bytes 2048");
  EXPECT_EQ(fixes[1].factor, Factor::kTime);
  EXPECT_EQ(fixes[1].option, "");
}

TEST(FixesFor, AdvisesNothingAboutWhatIsNegligible) {
  WhyReport report;
  Answer answer;
  answer.findings.causes.push_back(
      {.factors = {Factor::kDispatch}, .effect = {}, .negligible = true});
  answer.suspects = {{Factor::kThreads, "2 threads"}};
  answer.findings.negligible_scatter = true;
  report.answers.push_back(answer);
  EXPECT_THAT(FixesFor(report), IsEmpty());
  report.answers[0].findings.negligible_scatter = false;
  const auto fixes = FixesFor(report);
  ASSERT_EQ(fixes.size(), 1);
  EXPECT_EQ(fixes[0].factor, Factor::kThreads);
}

}  // namespace
}  // namespace tare::why
