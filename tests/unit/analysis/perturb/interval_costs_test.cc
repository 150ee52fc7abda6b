// interval_costs_test.cc: tests costs and findings of runs whose times are known.
#include "analysis/perturb/interval_costs.h"

#include <gmock/gmock.h>

#include "analysis/perturb/rebinned_signals.h"
#include "tests/unit/analysis/perturb/synthetic_runs.h"

namespace tare::perturb {
namespace {

constexpr double kIntervals[] = {0.01, 0.001, 0.0001};

// Each run takes 1 s and `factors[interval - 1]` times as long if it is sampled, with differences
// of a thousandth between rounds; `per_sample` is in seconds.
std::vector<IntervalRun> RunsWith(std::size_t rounds, const std::vector<double>& factors) {
  std::vector<IntervalRun> runs;
  for (std::size_t round = 0; round < rounds; ++round) {
    const double base = 1 + 0.1 * static_cast<double>(round % 3);
    for (std::size_t interval = 0; interval <= factors.size(); ++interval) {
      IntervalRun run{.round = round, .interval = interval};
      const double jitter = 1 + 0.0001 * static_cast<double>((round * 7 + interval * 3) % 11);
      run.cpu_seconds = base * jitter * (interval == 0 ? 1 : factors[interval - 1]);
      run.wall_seconds = 2 * base * jitter;
      if (interval > 0) {
        run.samples = static_cast<std::uint64_t>(std::llround(1 / kIntervals[interval - 1]));
      }
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

TEST(CostsOf, FindsTheRatiosAndWherePerturbationStarts) {
  const auto costs = CostsOf(RunsWith(12, {1.0, 1.002, 1.05}), kIntervals, {});
  ASSERT_EQ(costs.size(), 3);
  EXPECT_NEAR(costs[2].cpu.Value(), 1.05, 0.001);
  EXPECT_TRUE(costs[2].cpu.Contains(1.05));
  // Three intervals hold together at 95 %.
  EXPECT_NEAR(*costs[2].cpu.confidence, 1 - 0.05 / 3, 1e-12);
  EXPECT_EQ(costs[0].verdict, IntervalVerdict::kHarmless);
  // Significant, but below 1 %.
  EXPECT_GT(costs[1].cpu.Low(), 1);
  EXPECT_EQ(costs[1].verdict, IntervalVerdict::kHarmless);
  EXPECT_EQ(costs[2].verdict, IntervalVerdict::kPerturbs);
  EXPECT_EQ(FirstPerturbing(costs), 2);
  // With --detect 0.1% the second one counts.
  EXPECT_EQ(
      FirstPerturbing(CostsOf(RunsWith(12, {1.0, 1.002, 1.05}), kIntervals, {.detect = 0.001})), 1);
}

TEST(CostsOf, OfASampleIsTheDifferenceWithinARound) {
  // 10,000 samples cost 5 % of 1.0, 1.1 or 1.2 s: 5 to 6 us each.
  const auto costs = CostsOf(RunsWith(12, {1.0, 1.0, 1.05}), kIntervals, {});
  EXPECT_NEAR(costs[2].each.Value(), 5.5e-6, 0.2e-6);
  EXPECT_DOUBLE_EQ(costs[2].samples.Value(), 10'000);
  EXPECT_NEAR(costs[2].reached.Value(), 1.155e-4, 0.01e-4);
}

TEST(CostsOf, ElapsedTimeDecidesIfProcessorTimeShowsNothing) {
  auto runs = RunsWith(12, {1.0, 1.0, 1.0});
  for (IntervalRun& run : runs) run.wall_seconds *= run.interval == 3 ? 1.2 : 1;
  const auto costs = CostsOf(runs, kIntervals, {});
  EXPECT_EQ(costs[1].verdict, IntervalVerdict::kHarmless);
  EXPECT_EQ(costs[2].verdict, IntervalVerdict::kPerturbs);
  EXPECT_FALSE(costs[2].by_cpu);
}

TEST(CostsOf, TooFewRunsAndTooShortOnesAreUndecided) {
  for (const IntervalCost& cost : CostsOf(RunsWith(4, {1.0, 1.5, 2.0}), kIntervals, {})) {
    EXPECT_EQ(cost.verdict, IntervalVerdict::kUndecided);
    EXPECT_FALSE(cost.cpu.value);
    EXPECT_THAT(cost.cpu.reason, testing::HasSubstr("runs"));
  }
  auto runs = RunsWith(12, {1.0, 1.5, 2.0});
  for (IntervalRun& run : runs) run.cpu_seconds = run.wall_seconds = 0;
  const auto costs = CostsOf(runs, kIntervals, {});
  EXPECT_FALSE(costs[0].cpu.value);
  EXPECT_FALSE(FirstPerturbing(costs));
}

// The trace of a run with records 1,000 ns apart.
void GiveTraces(std::vector<IntervalRun>& runs, double loosened_at_last) {
  stats::Generator random(3);
  for (IntervalRun& run : runs) {
    if (run.interval == 0) continue;
    SyntheticProgram program;
    if (run.interval == 3) program.loosened = loosened_at_last;
    run.trace = SyntheticRun(program, random);
  }
}

TEST(AddCorrelations, FindsTheIntervalWhoseTracesDiffer) {
  auto runs = RunsWith(20, {1.0, 1.0, 1.0});
  GiveTraces(runs, 0.9);
  auto costs = CostsOf(runs, kIntervals, {});
  for (IntervalCost& cost : costs) cost.seconds *= 1e-4;  // the longest is 1,000 ns
  ASSERT_TRUE(AddCorrelations(runs, {}, {}, costs));
  EXPECT_FALSE(costs[0].correlations);
  EXPECT_THAT(costs[0].without_correlations, testing::HasSubstr("baseline"));
  ASSERT_TRUE(costs[1].correlations) << costs[1].without_correlations;
  EXPECT_EQ(costs[1].correlations->runs, 20);
  EXPECT_LT(costs[1].correlations->perturbed, 6);
  ASSERT_TRUE(costs[2].correlations);
  EXPECT_EQ(costs[2].correlations->perturbed, 20);
  EXPECT_LT(costs[2].correlations->lowest, costs[1].correlations->lowest);
}

TEST(AddCorrelations, SaysWhyThereAreNone) {
  auto runs = RunsWith(12, {1.0, 1.0, 1.0});
  for (IntervalRun& run : runs) run.without_trace = "too few records";
  auto costs = CostsOf(runs, kIntervals, {});
  ASSERT_TRUE(AddCorrelations(runs, {}, {}, costs));
  for (const IntervalCost& cost : costs) {
    EXPECT_FALSE(cost.correlations);
    EXPECT_EQ(cost.without_correlations, "too few records");
  }
}

TEST(Rebinned, AddsTotalsAndKeepsTheLastLevel) {
  TraceSignals trace;
  trace.interval = 10;
  trace.times = {10, 20, 30, 45, 60, 65};
  trace.signals = {{"total", "kernel", {1, 2, 3, 4, 5, 6}, true},
                   {"level", "kernel", {9, 8, 7, 6, 5, 4}, false}};
  const TraceSignals rebinned = Rebinned(trace, 30);
  EXPECT_EQ(rebinned.interval, 30);
  // The record at 65 is in an incomplete interval.
  EXPECT_THAT(rebinned.times, testing::ElementsAre(30, 60));
  EXPECT_THAT(rebinned.signals[0].values, testing::ElementsAre(6, 9));
  EXPECT_THAT(rebinned.signals[1].values, testing::ElementsAre(7, 5));
}

TEST(Rebinned, AnIntervalWithoutRecordsHasNoEventsAndTheLevelBefore) {
  TraceSignals trace;
  trace.times = {10, 40};
  trace.signals = {{"total", "kernel", {3, 4}, true}, {"level", "kernel", {9, 8}, false}};
  const TraceSignals rebinned = Rebinned(trace, 10);
  EXPECT_THAT(rebinned.signals[0].values, testing::ElementsAre(3, 0, 0, 4));
  EXPECT_THAT(rebinned.signals[1].values, testing::ElementsAre(9, 9, 9, 8));
}

}  // namespace
}  // namespace tare::perturb
