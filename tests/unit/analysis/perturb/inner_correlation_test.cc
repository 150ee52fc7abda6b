// inner_correlation_test.cc: tests that alarms occur where a correlation was reduced, and that
// false alarms are as frequent as the chosen level.
#include "analysis/perturb/inner_correlation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/perturb/pair_correlation.h"
#include "stats/correlation.h"
#include "synthetic_runs.h"

namespace tare::perturb {
namespace {

using testing::HasSubstr;

Baseline SyntheticBaseline(std::size_t runs, const SyntheticProgram& program,
                           stats::Generator& random) {
  auto baseline = MakeBaseline(SyntheticRuns(runs, program, random), {});
  EXPECT_TRUE(baseline) << baseline.error().message;
  return std::move(*baseline);
}

std::size_t Alarms(const std::vector<InnerRow>& rows) {
  return static_cast<std::size_t>(std::ranges::count_if(rows, &InnerRow::significant));
}

TEST(Correlate, IsSpearmans) {
  stats::Generator random(1);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(static_cast<double>(random.Below(20)));
    y.push_back(x.back() + static_cast<double>(random.Below(30)));
  }
  const auto expected = stats::Spearman(x, y, 0.95);
  ASSERT_TRUE(expected);
  EXPECT_NEAR(*Correlate(Ranked(x), Ranked(y)), expected->Value(), 1e-12);
  EXPECT_FALSE(Correlate(Ranked(x), Ranked(std::vector<double>(100, 7.0))));
}

TEST(Inner, APlantedDropIsFoundAndItsPairsNamed) {
  stats::Generator random(2);
  const Baseline baseline = SyntheticBaseline(26, {}, random);
  const auto rows = JudgeInner(baseline, SyntheticRun({.loosened = 0.7}, random), {});
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 6U);
  for (const InnerRow& row : *rows) {
    EXPECT_TRUE(row.interesting);
    // The last metric was decorrelated.
    EXPECT_EQ(row.significant, row.second == "m3") << row.first << " " << row.second;
    if (row.significant) {
      EXPECT_LT(std::abs(*row.run), std::abs(row.judged.baseline));
    }
  }
}

// Unchanged runs: an alarm in one of twenty, whatever the baseline.
TEST(Inner, FalseAlarmsAreAsManyAsChosen) {
  stats::Generator random(3);
  std::size_t alarmed = 0;
  std::size_t pairs_below = 0;
  for (int i = 0; i < 40; ++i) {
    const Baseline baseline = SyntheticBaseline(26, {}, random);
    for (int j = 0; j < 5; ++j) {
      const auto rows =
          JudgeInner(baseline, SyntheticRun({}, random), {.alpha = 0.05, .min_change = 0});
      ASSERT_TRUE(rows);
      alarmed += Alarms(*rows) > 0 ? 1U : 0U;
      pairs_below += static_cast<std::size_t>(
          std::ranges::count_if(*rows, [](const InnerRow& row) { return row.judged.p < 0.05; }));
    }
  }
  // Of 200 runs and 1200 pairs, 10 and 60 are expected.
  EXPECT_GE(alarmed, 2U);
  EXPECT_LE(alarmed, 20U);
  EXPECT_GE(pairs_below, 35U);
  EXPECT_LE(pairs_below, 90U);
}

// A distribution that is not normal, with outliers: chance alone takes some of the baseline's own
// runs as far, so there is no alarm.
TEST(LargestByChance, UsesTheBaselineRunsWhereTheSpreadIsNotNormal) {
  std::vector<double> with_outliers(25, 0.8);
  for (std::size_t i = 0; i < with_outliers.size(); ++i) {
    with_outliers[i] += 0.001 * static_cast<double>(i % 5);
  }
  with_outliers[3] = 0.6;
  with_outliers[9] = 0.62;
  const LargestByChance chance(std::array{with_outliers}, Side::kBoth, 0);
  const Judged judged = Spread(with_outliers).Judge(0.6, Side::kBoth, 0.95, 0);
  EXPECT_LT(judged.p, 0.05);
  const auto adjusted = Adjusted(std::array{judged}, chance, 0.05);
  ASSERT_TRUE(adjusted);
  EXPECT_GT((*adjusted)[0], 0.05);
  // A value farther out than all of them is still found; few runs are not enough for a small level.
  EXPECT_LE(chance.P(1e9, 0.05), 1.0 / 26);
  EXPECT_EQ(chance.P(0, 0.01), 0);
}

TEST(Inner, WithEqualBaselinesTheMinimumChangeDecides) {
  stats::Generator random(4);
  const TraceSignals run = SyntheticRun({}, random);
  const auto baseline = MakeBaseline({run, run, run}, {});
  ASSERT_TRUE(baseline);
  const auto same = JudgeInner(*baseline, run, {});
  ASSERT_TRUE(same);
  EXPECT_EQ(Alarms(*same), 0U);
  TraceSignals other = run;
  std::ranges::reverse(other.signals[0].values);
  const auto changed = JudgeInner(*baseline, other, {});
  ASSERT_TRUE(changed);
  EXPECT_EQ(Alarms(*changed), 3U);
  const auto tolerated = JudgeInner(*baseline, other, {.min_change = 2});
  ASSERT_TRUE(tolerated);
  EXPECT_EQ(Alarms(*tolerated), 0U);
}

TEST(Inner, AMetricThatNoLongerChangesHasNoCorrelationAndIsSaidToBePerturbed) {
  stats::Generator random(5);
  const Baseline baseline = SyntheticBaseline(10, {}, random);
  TraceSignals run = SyntheticRun({}, random);
  std::ranges::fill(run.signals[1].values, 3.0);
  const auto rows = JudgeInner(baseline, run, {});
  ASSERT_TRUE(rows);
  for (const InnerRow& row : *rows) {
    EXPECT_EQ(row.run.has_value(), row.first != "m1" && row.second != "m1");
    if (!row.run) {
      EXPECT_TRUE(row.significant);
    }
  }
}

TEST(Inner, UnrelatedMetricsAreNotInteresting) {
  stats::Generator random(6);
  const Baseline baseline = SyntheticBaseline(10, {.noise = 30}, random);
  const auto rows = JudgeInner(baseline, SyntheticRun({.noise = 30}, random), {});
  ASSERT_TRUE(rows);
  for (const InnerRow& row : *rows) EXPECT_FALSE(row.interesting || row.significant);
}

// The power: a difference that it calls detectable is found about as often as stated.
TEST(Spread, WhatItCallsDetectableIsFoundAsOftenAsItSays) {
  stats::Generator random(7);
  int found = 0;
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    const auto one = [&](double z) { return FromFisherZ(z + 0.1 * Noise(random)); };
    std::vector<double> baseline;
    for (int k = 0; k < 26; ++k) baseline.push_back(one(1));
    const Spread spread(baseline);
    const double lower = 0.76 - spread.Detectable(0.05, 0.8).value();
    const Judged judged = spread.Judge(one(FisherZ(lower)), Side::kBoth, 0.95, 0);
    found += judged.p < 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(found) / kTries, 0.8, 0.05);
}

TEST(Spread, SaysWhenNoFallWouldBeFound) {
  EXPECT_FALSE(Spread(std::vector<double>{0.9, -0.5, 0.2, 0.99}).Detectable(0.05, 0.8));
}

TEST(MakeBaseline, SaysWhatCannotBeABaseline) {
  stats::Generator random(8);
  const auto refused = [](std::vector<TraceSignals> runs, const BaselineOptions& options = {}) {
    const auto baseline = MakeBaseline(std::move(runs), options);
    return baseline ? "accepted" : baseline.error().message;
  };
  EXPECT_EQ(refused(SyntheticRuns(2, {}, random)),
            "a baseline of 2 runs is too small: at least 3 are needed");
  auto runs = SyntheticRuns(3, {}, random);
  runs[2].program = "/other/made --fast";
  EXPECT_THAT(refused(runs), HasSubstr("have different programs"));
  runs[2].program = "/other/made";
  runs[2].program = "/elsewhere/made";
  runs[0].program = "./made";
  EXPECT_EQ(refused(runs), "accepted");
  runs[1].clock = "ns";
  EXPECT_THAT(refused(runs), HasSubstr("have different clocks"));
  EXPECT_THAT(refused(SyntheticRuns(3, {}, random), {.metrics = {"m0", "cycles"}}),
              HasSubstr("metric cycles: made does not have this metric"));
  EXPECT_THAT(refused(SyntheticRuns(3, {.metrics = 1}, random)), HasSubstr("at least two metrics"));
}

TEST(MakeBaseline, SoftwareMetricsAreUsedOnRequest) {
  stats::Generator random(10);
  auto runs = SyntheticRuns(3, {}, random);
  for (TraceSignals& run : runs) run.signals[1].group = "software";
  const auto without = MakeBaseline(runs, {});
  const auto with = MakeBaseline(runs, {.software = true});
  ASSERT_TRUE(without && with);
  EXPECT_EQ(without->metrics, (std::vector<std::string>{"m0", "m2", "m3"}));
  EXPECT_EQ(with->metrics, (std::vector<std::string>{"m0", "m1", "m2", "m3"}));
}

TEST(Inner, ARunThatLacksAMetricIsRefused) {
  stats::Generator random(9);
  const Baseline baseline = SyntheticBaseline(5, {}, random);
  const auto rows = JudgeInner(baseline, SyntheticRun({.metrics = 3}, random), {});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().message, "made lacks the metric m3, which the baseline has");
}

}  // namespace
}  // namespace tare::perturb
