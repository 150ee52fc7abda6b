// count_comparison_test.cc: tests of comparison.h.
#include "analysis/machines/count_comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "stats/random.h"

namespace tare::machines {
namespace {

using ::testing::ElementsAre;

struct Counts {
  std::string machine;
  std::vector<std::int64_t> counts;
};

CountSet SetOf(const std::vector<Counts>& machines, const std::string& benchmark = "b") {
  CountSet set;
  for (const Counts& machine : machines) {
    for (std::size_t i = 0; i < machine.counts.size(); ++i) {
      CountRow row;
      row.benchmark = benchmark;
      row.machine = machine.machine;
      row.run = fmt::to_string(i + 1);
      row.count.whole = machine.counts[i];
      row.place = "x.csv, line 2";
      set.rows.push_back(std::move(row));
    }
  }
  return set;
}

TEST(Comparison, IsOfMeansOfMachines) {
  // Means 2, 5, 11; their mean 6; deltas -4, -1, 5; deviation sqrt(42 / 2).
  const auto comparison = *Compare(SetOf({{"x", {1, 3}}, {"y", {5}}, {"z", {11, 11, 11}}}), {});
  EXPECT_THAT(comparison.machines, ElementsAre("x", "y", "z"));
  EXPECT_TRUE(comparison.repeated);
  const BenchmarkResult& result = comparison.benchmarks[0];
  EXPECT_EQ(result.averaged, 3);
  EXPECT_EQ(result.mean.whole, 6);
  EXPECT_EQ(result.machines[0]->delta.Value(), -4);
  EXPECT_EQ(result.machines[1]->delta.Value(), -1);
  EXPECT_EQ(result.machines[2]->delta.Value(), 5);
  EXPECT_NEAR(result.between->Value(), std::sqrt(21), 1e-12);
  EXPECT_NEAR(result.Relative(result.between)->Value(), std::sqrt(21) / 6, 1e-12);
  EXPECT_NEAR(result.machines[0]->within->Value(), std::numbers::sqrt2, 1e-12);
  EXPECT_FALSE(result.machines[1]->within);
  EXPECT_EQ(result.machines[2]->within->Value(), 0);
  // Pooled: (1 * 2 + 2 * 0) / 3.
  EXPECT_NEAR(result.within->Value(), std::sqrt(2.0 / 3), 1e-12);
  EXPECT_EQ(result.within_degrees, 3);
}

TEST(Comparison, LosesNothingOfLargeCounts) {
  const std::int64_t max = INT64_MAX;
  const auto comparison = *Compare(SetOf({{"x", {max, max - 2}}, {"y", {max - 3}}}), {});
  const BenchmarkResult& result = comparison.benchmarks[0];
  EXPECT_EQ(result.mean.whole, max - 2);
  EXPECT_EQ(result.machines[0]->delta.Value(), 1);
  EXPECT_EQ(result.machines[1]->delta.Value(), -1);
  EXPECT_NEAR(result.machines[0]->within->Value(), std::numbers::sqrt2, 1e-12);
}

TEST(Comparison, LeavesExcludedMachinesOutOfMeanAndDeviation) {
  const auto comparison = *Compare(SetOf({{"tool", {1000, 1002}}, {"x", {1, 3}}, {"y", {5, 7}}}),
                                   {.excluded = {"tool"}});
  const BenchmarkResult& result = comparison.benchmarks[0];
  EXPECT_THAT(comparison.excluded, ElementsAre(true, false, false));
  EXPECT_EQ(result.averaged, 2);
  EXPECT_EQ(result.mean.whole, 4);
  EXPECT_EQ(result.machines[0]->delta.Value(), 997);
  EXPECT_NEAR(result.between->Value(), std::sqrt(8), 1e-12);
  EXPECT_EQ(result.within_degrees, 2);
}

TEST(Comparison, WithoutAMachineForTheMeanHasNone) {
  CountSet set = SetOf({{"tool", {5}}, {"x", {1}}}, "first");
  const CountSet second = SetOf({{"tool", {7}}}, "second");
  set.rows.insert(set.rows.end(), second.rows.begin(), second.rows.end());
  const auto comparison = *Compare(set, {.excluded = {"tool"}});
  EXPECT_EQ(comparison.benchmarks[0].averaged, 1);
  EXPECT_FALSE(comparison.benchmarks[0].between);
  EXPECT_EQ(comparison.benchmarks[0].machines[0]->delta.Value(), 4);
  EXPECT_EQ(comparison.benchmarks[1].averaged, 0);
  EXPECT_FALSE(comparison.benchmarks[1].machines[1]);
  EXPECT_FALSE(comparison.benchmarks[1].Relative(comparison.benchmarks[1].between));
}

TEST(Comparison, JoinsSummariesAsIfTheirRunsWereThere) {
  // {1, 3} as mean 2 and deviation sqrt 2, with a third run of 8: mean 4, squares 9 + 1 + 16.
  CountSet set = SetOf({{"x", {8}}, {"y", {4}}});
  CountRow summary;
  summary.benchmark = "b";
  summary.machine = "x";
  summary.run = "document 1";
  summary.count.whole = 2;
  summary.runs = 2;
  summary.deviation = std::numbers::sqrt2;
  set.rows.push_back(summary);
  const auto comparison = *Compare(set, {});
  const MachineResult& machine = *comparison.benchmarks[0].machines[0];
  EXPECT_EQ(machine.runs, 3);
  EXPECT_EQ(machine.delta.Value(), 0);
  EXPECT_NEAR(machine.within->Value(), std::sqrt(13), 1e-12);
}

TEST(Comparison, NamesTheOddOneOut) {
  const auto comparison = *Compare(
      SetOf({{"a", {100}}, {"b", {101}}, {"c", {99}}, {"d", {100}}, {"e", {102}}, {"f", {300}}}),
      {});
  const auto& machines = comparison.benchmarks[0].machines;
  for (std::size_t i = 0; i < 5; ++i) EXPECT_FALSE(machines[i]->outlier) << i;
  EXPECT_TRUE(machines[5]->outlier);
  EXPECT_GT(machines[5]->score, 3.5);
}

TEST(Comparison, OfTwoNamesNone) {
  const auto comparison = *Compare(SetOf({{"a", {1}}, {"b", {1000000}}}), {});
  EXPECT_FALSE(comparison.benchmarks[0].machines[0]->outlier);
  EXPECT_FALSE(comparison.benchmarks[0].machines[1]->outlier);
}

TEST(Comparison, OfOneMachineNeedsRuns) {
  const auto comparison = Compare(SetOf({{"x", {1, 3}}}), {});
  ASSERT_TRUE(comparison);
  EXPECT_FALSE(comparison->benchmarks[0].between);
  EXPECT_TRUE(comparison->benchmarks[0].within);
  const auto refused = Compare(SetOf({{"x", {1}}}), {});
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(refused.error().message,
            "nothing to compare: the only machine is x, with one run of each benchmark; "
            "give files of another machine or of more runs");
}

TEST(Comparison, RefusesWhatCannotBeMeant) {
  const CountSet set = SetOf({{"alpha", {1}}, {"beta", {2}}});
  EXPECT_EQ(Compare(set, {.excluded = {"alpah"}}).error().message,
            "--exclude alpah: no file has counts of this machine; did you mean alpha?");
  EXPECT_EQ(Compare(set, {.excluded = {"alpha", "beta"}}).error().message,
            "--exclude: no machine is left to compare");
  EXPECT_EQ(Compare(SetOf({{"mean", {1}}, {"x", {2}}}), {}).error().message,
            "x.csv, line 2: a machine cannot be named mean, because a column has that name");
  EXPECT_EQ(Compare({}, {}).error().kind, ErrorKind::kUsage);
  std::vector<Counts> many;
  for (int i = 0; i < 600; ++i) many.push_back({fmt::format("m{}", i), {1}});
  EXPECT_EQ(Compare(SetOf(many), {}).error().kind, ErrorKind::kFormat);
}

TEST(Comparison, OfCountsOfZeroHasNoVariation) {
  const auto comparison = *Compare(SetOf({{"x", {0}}, {"y", {0}}}), {});
  const BenchmarkResult& result = comparison.benchmarks[0];
  EXPECT_EQ(result.between->Value(), 0);
  EXPECT_FALSE(result.Relative(result.between));
}

TEST(DeltaRange, NeedsASecondRunOnEveryMachine) {
  const auto one = *Compare(SetOf({{"x", {1, 2}}, {"y", {5}}}), {});
  EXPECT_FALSE(one.benchmarks[0].machines[0]->delta.HasInterval());
  const auto excluded = *Compare(SetOf({{"x", {1, 2}}, {"y", {5}}}), {.excluded = {"y"}});
  EXPECT_TRUE(excluded.benchmarks[0].machines[0]->delta.HasInterval());
  EXPECT_FALSE(excluded.benchmarks[0].machines[1]->delta.HasInterval());
}

TEST(DeltaRange, OfEqualRunsHasNoWidth) {
  const auto comparison = *Compare(SetOf({{"x", {4, 4}}, {"y", {8, 8}}}), {});
  EXPECT_EQ(comparison.benchmarks[0].machines[1]->delta.Low(), 2);
  EXPECT_EQ(comparison.benchmarks[0].machines[1]->delta.High(), 2);
}

// Machines with different variances: Satterthwaite's degrees of freedom are an approximation.
TEST(DeltaRange, CoversTheDeltaAboutAsOftenAsItSays) {
  stats::Generator generator(5);
  const auto draw = [&](double mean, double deviation) {
    const double radius = std::sqrt(-2 * std::log(1 - generator.Unit()));
    return static_cast<std::int64_t>(std::llround(
        mean + deviation * radius * std::cos(2 * std::numbers::pi * generator.Unit())));
  };
  constexpr int kTrials = 2000;
  int covered = 0;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<Counts> machines = {{"x", {}}, {"y", {}}, {"z", {}}};
    for (int run = 0; run < 7; ++run) {
      machines[0].counts.push_back(draw(1e9, 1e5));
      machines[1].counts.push_back(draw(1e9 + 3e6, 1e6));
      if (run < 4) machines[2].counts.push_back(draw(1e9, 3e4));
    }
    const auto comparison = *Compare(SetOf(machines), {});
    covered += comparison.benchmarks[0].machines[0]->delta.Contains(-1e6);
  }
  EXPECT_GT(covered, kTrials * 0.93);
  EXPECT_LT(covered, kTrials * 0.97);
}

}  // namespace
}  // namespace tare::machines
