// outer_correlation_test.cc: tests that stretched copies align, lost phases do not, and false
// alarms are as frequent as the chosen level.
#include "analysis/perturb/outer_correlation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "synthetic_runs.h"

namespace tare::perturb {
namespace {

Baseline BaselineOfRuns(std::size_t runs, const SyntheticProgram& program,
                        stats::Generator& random) {
  auto baseline = MakeBaseline(SyntheticRuns(runs, program, random), {});
  EXPECT_TRUE(baseline) << baseline.error().message;
  return std::move(*baseline);
}

bool Alarmed(const OuterJudgement& judgement) {
  return std::ranges::any_of(judgement.rows, &OuterRow::significant);
}

TEST(Align, StretchedCopiesComeBack) {
  stats::Generator random(1);
  const SyntheticProgram smooth = {.noise = 0.02};
  const Baseline baseline = BaselineOfRuns(3, smooth, random);
  const TraceSignals run = SyntheticRun({.noise = 0.02, .stretched = 1.15}, random);
  const auto alignment = Align(baseline, baseline.runs[0], run, {});
  ASSERT_TRUE(alignment) << alignment.error().message;
  EXPECT_GT(alignment->quality, 0.8);
  // The true origin of each record is known; the mean error of the alignment is small.
  double missed = 0;
  for (const stats::DtwStep& step : alignment->path) {
    const auto at = static_cast<double>(step.b);
    const double truly = at < 120 ? at : 120 + (at - 120) / 1.15;
    missed += std::abs(static_cast<double>(step.a) - truly);
  }
  EXPECT_LT(missed / static_cast<double>(alignment->path.size()), 3);
}

TEST(Warp, IsTheMeanOfWhatMeets) {
  const Alignment alignment{{{0, 0}, {1, 0}, {2, 1}, {2, 2}}, 1};
  EXPECT_EQ(Warp(alignment, std::vector<double>{10, 20, 40}, true),
            (std::vector<double>{10, 10, 30}));
  EXPECT_EQ(Warp(alignment, std::vector<double>{1, 3, 5}, false), (std::vector<double>{2, 5, 5}));
}

TEST(Outer, AMetricThatLostItsPhasesIsNamed) {
  stats::Generator random(2);
  const Baseline baseline = BaselineOfRuns(12, {}, random);
  const auto outer = MakeOuterBaseline(baseline, {});
  ASSERT_TRUE(outer) << outer.error().message;
  const auto judged = JudgeOuter(baseline, *outer, SyntheticRun({.loosened = 0.9}, random),
                                 {.min_quality = 0.3}, {});
  ASSERT_TRUE(judged) << judged.error().message;
  ASSERT_EQ(judged->rows.size(), 4U) << judged->refused;
  EXPECT_TRUE(judged->rows[3].significant);
  EXPECT_FALSE(judged->rows[0].significant);
}

TEST(Outer, FalseAlarmsAreAsManyAsChosen) {
  stats::Generator random(3);
  std::size_t alarmed = 0;
  constexpr std::size_t kBaselines = 10;
  constexpr std::size_t kRuns = 20;
  const SyntheticProgram program = {.records = 120};
  for (std::size_t i = 0; i < kBaselines; ++i) {
    const Baseline baseline = BaselineOfRuns(26, program, random);
    const auto outer = MakeOuterBaseline(baseline, {});
    ASSERT_TRUE(outer);
    for (std::size_t j = 0; j < kRuns; ++j) {
      const auto judged = JudgeOuter(baseline, *outer, SyntheticRun(program, random),
                                     {.min_quality = 0}, {.alpha = 0.05, .min_change = 0});
      ASSERT_TRUE(judged);
      alarmed += Alarmed(*judged) ? 1U : 0U;
    }
  }
  EXPECT_GE(alarmed, 2U);  // of 200; 10 are expected
  EXPECT_LE(alarmed, 20U);
}

TEST(Outer, WhatCannotBeAlignedIsRefused) {
  stats::Generator random(4);
  const Baseline baseline = BaselineOfRuns(5, {.noise = 0.05}, random);
  const auto outer = MakeOuterBaseline(baseline, {});
  ASSERT_TRUE(outer);
  TraceSignals run = SyntheticRun({.noise = 20}, random);
  const auto judged = JudgeOuter(baseline, *outer, run, {}, {});
  ASSERT_TRUE(judged);
  EXPECT_TRUE(judged->rows.empty());
  EXPECT_NE(judged->refused, "");
  const auto unknown = MakeOuterBaseline(baseline, {.by = "cycles"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "the baseline has no metric cycles to align with");
}

}  // namespace
}  // namespace tare::perturb
