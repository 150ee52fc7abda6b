// program_metrics_test.cc: tests which event measures a metric, and how its count is used.
#include "machine/pmu/program_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <array>
#include <cerrno>
#include <set>

namespace tare::pmu {
namespace {

using testing::HasSubstr;

constexpr auto kTwoNames = std::to_array<std::string_view>({"branch-instructions", "cycles"});
constexpr auto kUnknown = std::to_array<std::string_view>({"NO_SUCH_EVENT:AT_ALL"});

MetricRow Branches(std::span<const std::string_view> names) {
  return {"branches", "", EventClass::kHardware, LoopPart::kBranches, names};
}

// Correct branch counters, except for the generic branch event, which is wrong by a factor.
CountLoop GenericOffBy(std::uint64_t factor) {
  return [factor](const EventCode& code, LoopPart, std::uint64_t iterations) {
    LoopReading reading;
    reading.count.value = iterations;
    if (code.config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS) reading.count.value *= factor;
    return reading;
  };
}

CountLoop Failing(int error_number) {
  return [=](const EventCode&, LoopPart, std::uint64_t) -> std::expected<LoopReading, int> {
    return std::unexpected(error_number);
  };
}

int NoKernel(const EventCode&) { return -ENOSYS; }

ChosenMetric Choose(const MetricRow& row, const CountLoop& count) {
  return ChooseMetrics({&row, 1}, {}, count, NoKernel).at(0);
}

TEST(Metrics, HaveTheirOwnNamesAndCandidates) {
  for (const auto rows : {HardwareMetrics(), KernelMetrics()}) {
    std::set<std::string_view> names;
    for (const MetricRow& row : rows) {
      EXPECT_TRUE(names.insert(row.metric).second) << row.metric;
      EXPECT_FALSE(row.candidates.empty()) << row.metric;
    }
  }
}

TEST(ChooseMetrics, TheFirstCandidateThatPassesIsTaken) {
  const auto sound = Choose(Branches(kTwoNames), GenericOffBy(1));
  EXPECT_EQ(sound.event_name, "branch-instructions");
  EXPECT_EQ(sound.test.works, Works::kCounts);
  for (const std::uint64_t factor : {0U, 2U, 16U}) {
    const auto other = Choose(Branches(kTwoNames), GenericOffBy(factor));
    EXPECT_EQ(other.event_name, "cycles") << factor;
    EXPECT_EQ(other.event.value_or(ProgramEvent{}).name, "branches");
    EXPECT_EQ(other.absence, "");
  }
}

TEST(ChooseMetrics, WhenNoneCountsRightlyThereIsNoEventAndTheVerdictSaysWhy) {
  const auto row = Branches(std::span(kTwoNames).first(1));
  const auto doubled = Choose(row, GenericOffBy(2));
  EXPECT_FALSE(doubled.event);
  EXPECT_EQ(doubled.test.works, Works::kCountsWrong);
  EXPECT_THAT(doubled.absence, HasSubstr("fails its self-test: it counted 2.00 times"));
  const auto dead = Choose(row, GenericOffBy(0));
  EXPECT_FALSE(dead.event);
  EXPECT_EQ(dead.test.works, Works::kCountsNothing);
}

TEST(ChooseMetrics, RefusalsAndUnknownNamesAreReasons) {
  EXPECT_THAT(Choose(Branches(kTwoNames), Failing(ENOENT)).absence,
              HasSubstr("this machine exposes no such counter"));
  EXPECT_THAT(Choose(Branches(kTwoNames), Failing(EACCES)).absence,
              HasSubstr("kernel.perf_event_paranoid"));
  EXPECT_THAT(Choose(Branches(kUnknown), GenericOffBy(1)).absence,
              HasSubstr("no event for it is known"));
}

TEST(ChooseMetrics, ABusyCounterIsTakenUntestedIfThereIsNoOther) {
  const auto busy = Choose(Branches(kTwoNames), [](const EventCode&, LoopPart, std::uint64_t) {
    LoopReading reading;
    reading.count = {.value = 0, .enabled_ns = 10, .running_ns = 0};
    return reading;
  });
  ASSERT_TRUE(busy.event);
  EXPECT_EQ(busy.event_name, "branch-instructions");
  EXPECT_EQ(busy.test.works, Works::kNotTested);
}

TEST(ChooseMetrics, EventsOfTheKernelAreTestedHereOrRefusedWithAReason) {
  const auto metrics = ChooseMetrics(KernelMetrics(), {});
  ASSERT_EQ(metrics.size(), KernelMetrics().size());
  for (const ChosenMetric& chosen : metrics) {
    SCOPED_TRACE(chosen.row.metric);
    EXPECT_EQ(chosen.event.has_value(), chosen.absence.empty()) << chosen.absence;
  }
}

TEST(ChooseMetrics, SwitchesAreAbsentWhereTheKernelsModeIsForbidden) {
  const auto metrics = ChooseMetrics(
      KernelMetrics(), {.paranoid = 2, .filtered = false}, CountLoopHere,
      [](const EventCode& code) { return code.kernel ? -EACCES : OpenForThisThread(code); });
  for (const ChosenMetric& chosen : metrics) {
    if (chosen.row.metric != "context-switches") continue;
    EXPECT_FALSE(chosen.event);
    EXPECT_NE(chosen.absence, "");
  }
}

TEST(ChooseMetrics, OfThisProcessorPassTheirTestOrSayWhyNot) {
  for (const ChosenMetric& chosen : ChooseMetrics(HardwareMetrics(), {})) {
    SCOPED_TRACE(chosen.row.metric);
    EXPECT_EQ(chosen.event.has_value(), chosen.absence.empty()) << chosen.absence;
    if (chosen.event) {
      EXPECT_NE(chosen.event_name, "");
      EXPECT_NE(chosen.test.works, Works::kCountsWrong);
      EXPECT_NE(chosen.test.works, Works::kCountsNothing);
    }
  }
}

ChosenMetric Chosen(std::string_view metric) {
  ChosenMetric chosen;
  chosen.row.metric = metric;
  chosen.event = ProgramEvent{.name = std::string(metric), .code = {}};
  return chosen;
}

ProgramCount Of(std::string name, std::optional<std::uint64_t> value) {
  ProgramCount count;
  count.name = std::move(name);
  count.value = value;
  return count;
}

TEST(CountsOf, InterruptsAreTakenOffInstructionsBesideTheRawCount) {
  const std::vector metrics = {Chosen("instructions"), Chosen("interrupts")};
  const auto counts = CountsOf(metrics, {Of("instructions", 1'000'012), Of("interrupts", 12)});
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].count.value, 1'000'012U);
  EXPECT_EQ(counts[0].corrected, 1'000'000U);
  EXPECT_EQ(counts[1].corrected, std::nullopt);
}

TEST(CountsOf, WithoutInterruptsOrWithSharedCountersNothingIsCorrected) {
  const std::vector metrics = {Chosen("instructions"), Chosen("interrupts")};
  EXPECT_EQ(
      CountsOf(metrics, {Of("instructions", 10), Of("interrupts", std::nullopt)})[0].corrected,
      std::nullopt);
  auto shared = Of("interrupts", 2);
  shared.multiplexed = true;
  EXPECT_EQ(CountsOf(metrics, {Of("instructions", 10), shared})[0].corrected, std::nullopt);
  EXPECT_EQ(CountsOf(metrics, {Of("instructions", 10), Of("interrupts", 11)})[0].corrected,
            std::nullopt);
}

TEST(CountsOf, ZeroInstructionsAreAbsentAndZeroMissesAreACount) {
  const std::vector metrics = {Chosen("instructions"), Chosen("branch-misses")};
  const auto counts = CountsOf(metrics, {Of("instructions", 0), Of("branch-misses", 0)});
  EXPECT_EQ(counts[0].count.value, std::nullopt);
  EXPECT_THAT(counts[0].count.absence, HasSubstr("stayed at 0"));
  EXPECT_EQ(counts[1].count.value, 0U);
}

TEST(CountsOf, MetricsWithoutAnEventKeepTheirRowAndReason) {
  ChosenMetric absent;
  absent.row.metric = "loads";
  absent.absence = "some reason";
  const std::vector metrics = {absent, Chosen("cycles")};
  EXPECT_EQ(MakePlan(metrics).events.size(), 1U);
  const auto counts = CountsOf(metrics, {Of("cycles", 7)});
  EXPECT_EQ(counts[0].count.absence, "some reason");
  EXPECT_EQ(counts[0].count.value, std::nullopt);
  EXPECT_EQ(counts[1].count.value, 7U);
}

}  // namespace
}  // namespace tare::pmu
