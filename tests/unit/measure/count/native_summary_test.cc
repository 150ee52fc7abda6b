// native_summary_test.cc: tests means and ratios of events over several native runs.
#include "measure/count/native_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::count {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

pmu::MetricCount Counted(std::string metric, std::optional<std::uint64_t> value) {
  pmu::MetricCount count;
  count.metric = std::move(metric);
  count.count.value = value;
  if (!value) count.count.absence = "no counter";
  return count;
}

std::vector<NativeCounts> Runs(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& counts) {
  std::vector<NativeCounts> runs;
  for (const auto& [instructions, cycles] : counts) {
    NativeCounts run;
    run.hardware = {Counted("instructions", instructions), Counted("cycles", cycles),
                    Counted("page-faults", 1)};
    run.kernel = {Counted("page-faults", 40)};
    runs.push_back(std::move(run));
  }
  return runs;
}

TEST(NativeEventsOf, HasEachEventOfAllRunsOnce) {
  const auto runs = Runs({{1000, 500}, {1010, 520}, {990, 510}});
  const auto events = NativeEventsOf(runs);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].engine, "kernel");
  EXPECT_THAT(events[0].values, ElementsAre(40, 40, 40));
  EXPECT_EQ(events[1].event, "instructions");
  EXPECT_THAT(events[1].values, ElementsAre(1000, 1010, 990));
}

TEST(NativeEventsOf, AnEventThatOneRunLacksIsAbsent) {
  auto runs = Runs({{1000, 500}, {1010, 520}});
  runs[1].hardware[0] = Counted("instructions", std::nullopt);
  const auto events = NativeEventsOf(runs);
  EXPECT_TRUE(events[1].values.empty());
  EXPECT_EQ(MeanOfRuns(events[1], 0.95).reason, "no counter");
  EXPECT_FALSE(MeanOfRuns(events[1], 0.95).value);
}

// 2,000,000 cycles and 3 interrupts in 1 ms are 2,000 MHz and 3,000 per second.
TEST(RatesOf, AreThoseOfEachRunByItsProcessorTime) {
  std::vector<NativeCounts> runs;
  for (const std::uint64_t times : {1U, 2U, 1U}) {
    NativeCounts run;
    run.hardware = {Counted("cycles", 2'000'000 * times), Counted("interrupts", 3 * times)};
    run.hardware[0].count.with_kernel = true;
    run.kernel = {Counted("task-clock", 1'000'000 * times)};
    runs.push_back(std::move(run));
  }
  const NativeRates rates = RatesOf(runs, 0.95);
  EXPECT_THAT(rates.clock_mhz.Value(), DoubleNear(2000, 1e-9));
  EXPECT_EQ(rates.clock_mhz.unit, "MHz");
  EXPECT_EQ(rates.clock_mhz.verdict, Verdict::kValid);
  EXPECT_THAT(rates.interrupts_per_second.Value(), DoubleNear(3000, 1e-9));
  runs[1].hardware[0].count.with_kernel = false;
  EXPECT_EQ(RatesOf(runs, 0.95).clock_mhz.verdict, Verdict::kDoubtful);
}

TEST(RatesOf, WithoutCountersAreAbsentWithTheReason) {
  std::vector<NativeCounts> runs(2);
  for (NativeCounts& run : runs) {
    run.hardware = {Counted("cycles", std::nullopt)};
    run.kernel = {Counted("task-clock", 1000)};
  }
  const NativeRates rates = RatesOf(runs, 0.95);
  EXPECT_FALSE(rates.clock_mhz.value);
  EXPECT_EQ(rates.clock_mhz.reason, "no counter");
  EXPECT_FALSE(rates.interrupts_per_second.value);
  EXPECT_FALSE(rates.interrupts_per_second.reason.empty());
}

TEST(HardwareEvent, UsesCorrectedCounts) {
  auto runs = Runs({{1000, 500}, {1010, 520}});
  runs[0].hardware[0].corrected = 990;
  runs[1].hardware[0].corrected = 1000;
  EXPECT_THAT(HardwareEvent(runs, "instructions")->values, ElementsAre(990, 1000));
  EXPECT_FALSE(HardwareEvent(runs, "loads"));
}

// Seven runs of mean 1000 and standard deviation 2.1602: t(0.975, 6) = 2.4469, so the half width is
// 2.4469 x 2.1602 / sqrt(7) = 1.998.
TEST(MeanOfRuns, HasStudentsIntervalAndItsSpread) {
  NativeEvent event{"hardware", "instructions", "", {997, 998, 999, 1000, 1001, 1002, 1003}};
  const Measured mean = MeanOfRuns(event, 0.95);
  EXPECT_DOUBLE_EQ(mean.Value(), 1000);
  EXPECT_NEAR(mean.HalfWidth(), 1.998, 0.001);
  EXPECT_FALSE(mean.exact);
  EXPECT_EQ(mean.verdict, Verdict::kValid);
  const Spread spread = SpreadOfRuns(event);
  EXPECT_NEAR(spread.standard_deviation.Value(), 2.1602, 1e-4);
  EXPECT_NEAR(spread.variation.Value(), 2.1602e-3, 1e-7);
}

TEST(MeanOfRuns, IsNeverBelowNothing) {
  EXPECT_EQ(MeanOfRuns({"kernel", "context-switches", "", {0, 0, 1}}, 0.95).Low(), 0);
}

TEST(MeanOfRuns, IsExactIfAllRunsAgreeAndDoubtfulIfThereIsOne) {
  EXPECT_TRUE(MeanOfRuns({"hardware", "cycles", "", {7, 7}}, 0.95).exact);
  const Measured one = MeanOfRuns({"hardware", "cycles", "", {7}}, 0.95);
  EXPECT_EQ(one.verdict, Verdict::kDoubtful);
  EXPECT_FALSE(one.exact);
  EXPECT_FALSE(SpreadOfRuns({"hardware", "cycles", "", {7}}).variation.value);
}

// Ratios of each run: 0.5, 0.52, 0.48; standard deviation 0.02, t(0.975, 2) = 4.3027.
TEST(CycleRatiosOf, AreMeansOfTheRatiosOfEachRun) {
  const NativeEvent cycles{"hardware", "cycles", "", {500, 520, 480}};
  const NativeEvent instructions{"hardware", "instructions", "", {1000, 1000, 1000}};
  const CycleRatios ratios = CycleRatiosOf(cycles, instructions, 0.95);
  EXPECT_THAT(ratios.cpi.Value(), DoubleNear(0.5, 1e-12));
  EXPECT_NEAR(ratios.cpi.HalfWidth(), 4.3027 * 0.02 / std::sqrt(3.0), 1e-5);
  EXPECT_NEAR(ratios.ipc.Value(), (2 + 1 / 0.52 + 1 / 0.48) / 3, 1e-12);
  EXPECT_TRUE(ratios.ipc.HasInterval());
}

TEST(CycleRatiosOf, AreAbsentWithTheReasonOfWhatIsMissing) {
  NativeEvent cycles{"hardware", "cycles", "", {}};
  cycles.absence = "no counter";
  const NativeEvent instructions{"hardware", "instructions", "", {1000}};
  EXPECT_EQ(CycleRatiosOf(cycles, instructions, 0.95).cpi.reason, "no counter");
  EXPECT_FALSE(CycleRatiosOf(cycles, instructions, 0.95).ipc.value);
}

}  // namespace
}  // namespace tare::count
