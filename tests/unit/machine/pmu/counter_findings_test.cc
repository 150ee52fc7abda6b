// counter_findings_test.cc: tests findings about counters of synthetic kernels, and of this one.
#include "machine/pmu/counter_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "base/printable.h"

namespace tare::pmu {
namespace {

using host::Finding;
using host::Level;
using testing::HasSubstr;

Finding Row(const std::vector<Finding>& findings, std::string_view id) {
  const auto found = std::ranges::find(findings, id, &Finding::id);
  if (found != findings.end()) return *found;
  ADD_FAILURE() << "no row " << id;
  return {};
}

// All events of a class give the same result.
CounterState SyntheticState(
    const std::function<Attempt(const EventRow&, bool with_kernel)>& attempt) {
  CounterState state;
  state.energy.absence = "no energy counter";
  for (const EventRow& row : KnownEvents()) {
    state.events.push_back(
        {.row = row, .user = attempt(row, false), .with_kernel = attempt(row, true)});
  }
  return state;
}

Attempt Opens(Works works) {
  Attempt attempt;
  attempt.opens = true;
  attempt.test.works = works;
  if (works != Works::kCounts) attempt.test.reason = "some reason";
  return attempt;
}

Attempt Refused(std::string reason) {
  Attempt attempt;
  attempt.error_number = EACCES;
  attempt.reason = std::move(reason);
  return attempt;
}

void ExpectSoundRows(const std::vector<Finding>& findings) {
  EXPECT_EQ(findings.size(), 8U);
  for (const Finding& finding : findings) {
    SCOPED_TRACE(finding.id);
    EXPECT_EQ(finding.group, host::Group::kCounters);
    EXPECT_NE(finding.value, "");
    EXPECT_NE(finding.meaning, "");
    EXPECT_LE(DisplayWidth(finding.value), host::kMaxValueColumns);
    EXPECT_LE(DisplayWidth(finding.meaning), host::kMaxSentenceColumns);
    EXPECT_EQ(finding.level == Level::kAbsent, finding.value == "not available");
  }
}

TEST(ExamineCounters, AMachineWithoutCountersCarriesTheCaveat) {
  const auto state = SyntheticState([](const EventRow& row, bool) {
    return row.event_class == EventClass::kSoftware ? Opens(Works::kCounts)
                                                    : Refused("this machine exposes no counter");
  });
  const auto rows = ExamineCounters(state);
  ExpectSoundRows(rows);
  EXPECT_EQ(Row(rows, "hardware-events").value, "0 of 10 open");
  EXPECT_EQ(Row(rows, "hardware-events").caveat, CaveatId::kNoCounters);
  EXPECT_EQ(Row(rows, "hardware-events").meaning, "this machine exposes no counter");
  EXPECT_EQ(Row(rows, "software-events").level, Level::kOk);
  EXPECT_EQ(Row(rows, "pmu").caveat, CaveatId::kNoCounters);
}

TEST(ExamineCounters, AllOpenAndCountingIsGood) {
  auto state = SyntheticState([](const EventRow&, bool) { return Opens(Works::kCounts); });
  state.pmus = {{.name = "cpu", .kind = PmuKind::kCore, .type = 4},
                {.name = "uncore_imc", .kind = PmuKind::kOther, .type = 16},
                {.name = "software", .kind = PmuKind::kKernel, .type = 1}};
  state.user_read = {.available = true, .reason = ""};
  const auto rows = ExamineCounters(state);
  ExpectSoundRows(rows);
  EXPECT_EQ(Row(rows, "pmu").value, "cpu and 1 others");
  for (const char* id :
       {"pmu", "hardware-events", "cache-events", "software-events", "user-read"}) {
    EXPECT_EQ(Row(rows, id).level, Level::kOk) << id;
  }
}

TEST(ExamineCounters, EventsThatStayAtZeroAreAWarning) {
  const auto state =
      SyntheticState([](const EventRow&, bool) { return Opens(Works::kCountsNothing); });
  const auto rows = ExamineCounters(state);
  ExpectSoundRows(rows);
  EXPECT_EQ(Row(rows, "hardware-events").value, "10 of 10 open, 10 do not count");
  EXPECT_EQ(Row(rows, "hardware-events").level, Level::kWarning);
  EXPECT_FALSE(CounterEngines(state)[0].found);
  EXPECT_EQ(CounterEngines(state)[0].state, "events open but do not count");
}

TEST(ExamineCounters, SwitchesThatCountInKernelModeOnlyAreNoWarning) {
  const auto state = SyntheticState([](const EventRow& row, bool with_kernel) {
    return row.name == "context-switches" && !with_kernel ? Opens(Works::kCountsNothing)
                                                          : Opens(Works::kCounts);
  });
  const auto row = Row(ExamineCounters(state), "software-events");
  EXPECT_EQ(row.level, Level::kOk);
  EXPECT_THAT(row.meaning, HasSubstr("kernel mode only"));
}

TEST(ExamineCounters, SomeMissingIsANoteWithTheCommonestReason) {
  const auto state = SyntheticState([](const EventRow& row, bool) {
    if (row.name == "bus-cycles" || row.name == "ref-cycles") return Refused("common");
    if (row.name == "cycles") return Refused("rare");
    return Opens(Works::kCounts);
  });
  const auto row = Row(ExamineCounters(state), "hardware-events");
  EXPECT_EQ(row.level, Level::kNote);
  EXPECT_EQ(row.value, "7 of 10 open");
  EXPECT_EQ(row.meaning, "events that do not open: common");
}

TEST(ExamineCounters, TheProcessorsOwnTableIsPreferred) {
  CounterState state = SyntheticState([](const EventRow&, bool) { return Opens(Works::kCounts); });
  state.tables = std::vector<EventTable>{
      {.name = "perf", .description = "generic", .core = false, .events = 80},
      {.name = "ix86arch",
       .description = "architectural",
       .core = true,
       .events = 7,
       .counters = 4},
      {.name = "skx_unc_imc", .description = "memory", .core = false, .events = 999, .counters = 4},
      {.name = "skx",
       .description = "Intel Skylake X",
       .core = true,
       .events = 86,
       .counters = 8,
       .fixed_counters = 3}};
  EXPECT_EQ(Row(ExamineCounters(state), "event-names").value, "Intel Skylake X, 86 events");
  state.tables->resize(1);
  EXPECT_EQ(Row(ExamineCounters(state), "event-names").level, Level::kNote);
  state.tables = Fail(ErrorKind::kUnsupported, "no library");
  EXPECT_EQ(Row(ExamineCounters(state), "event-names").level, Level::kAbsent);
}

TEST(CounterEngines, AreThereWhenAnEventCounts) {
  const auto engines = CounterEngines(SyntheticState([](const EventRow& row, bool) {
    return row.event_class == EventClass::kSoftware ? Opens(Works::kCounts) : Refused("no");
  }));
  ASSERT_EQ(engines.size(), 2U);
  EXPECT_EQ(engines[0].name, "hardware");
  EXPECT_FALSE(engines[0].found);
  EXPECT_EQ(engines[0].state, "no");
  EXPECT_EQ(engines[1].name, "kernel");
  EXPECT_TRUE(engines[1].found);
}

TEST(Describe, OneLineForEveryOutcome) {
  EXPECT_EQ(Describe(Opens(Works::kCounts)), "counts");
  EXPECT_EQ(Describe(Opens(Works::kCountsNothing)), "does not count: some reason");
  EXPECT_EQ(Describe(Opens(Works::kNotTested)), "opens, not tested: some reason");
  EXPECT_EQ(Describe(Refused("forbidden")), "forbidden");
}

TEST(ReadCounters, OnThisMachineGivesSoundRows) {
  const auto state = ReadCounters({}, host::ReadConditions({}, {}));
  ExpectSoundRows(ExamineCounters(state));
}

TEST(ReadCounters, AForbiddingKernelGivesSoundRows) {
  const auto state = ReadCounters({.root = "/nonexistent"}, host::ReadConditions({}, {}),
                                  [](const EventCode&) { return -EACCES; });
  ExpectSoundRows(ExamineCounters(state));
}

TEST(CounterFindings, StateErrataAndEnergy) {
  CounterState state = SyntheticState([](const EventRow&, bool) { return Opens(Works::kCounts); });
  state.errata = ErrataOf({"GenuineIntel", 6, 0x3c});
  state.energy.zones = {{"package-0", "/sys/class/powercap/intel-rapl:0/energy_uj", 1, "powercap"}};
  const auto findings = ExamineCounters(state);
  EXPECT_EQ(Row(findings, "counter-errata").level, Level::kNote);
  EXPECT_THAT(Row(findings, "counter-errata").meaning, HasSubstr("INST_RETIRED.ANY (HSD140"));
  EXPECT_EQ(Row(findings, "energy").value, "package-0");
  state.energy = {};
  state.energy.absence = "this machine exposes no energy counter";
  EXPECT_EQ(Row(ExamineCounters(state), "energy").level, Level::kAbsent);
}

}  // namespace
}  // namespace tare::pmu
