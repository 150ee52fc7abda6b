// named_events_test.cc: tests portable names of events and what they resolve to.
#include "machine/pmu/named_events.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <set>

namespace tare::pmu {
namespace {

using testing::HasSubstr;

int NoSuchEvent(const EventCode&) { return -ENOENT; }
int AnyEvent(const EventCode&) { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

std::expected<LoopReading, int> NotCounted(const EventCode&, LoopPart, std::uint64_t) {
  return std::unexpected(ENOENT);
}

// Counts as if the processor were right about everything.
std::expected<LoopReading, int> Right(const EventCode&, LoopPart part, std::uint64_t iterations) {
  LoopReading reading;
  if (part != LoopPart::kNothing) reading.count.value = KnownCountOf(part, iterations).low;
  return reading;
}

TEST(NamedEvents, HaveOneNameEachAndOneOfPapi) {
  std::set<std::string_view> names;
  for (const NamedEvent& named : NamedEvents()) {
    EXPECT_TRUE(names.insert(named.name).second) << named.name;
    EXPECT_TRUE(names.insert(named.papi).second) << named.papi;
    EXPECT_TRUE(named.papi.starts_with("PAPI_")) << named.papi;
    EXPECT_FALSE(named.candidates.empty()) << named.name;
  }
}

TEST(FindNamedEvent, KnowsBothNamesInAnyCase) {
  ASSERT_NE(FindNamedEvent("l1d-misses"), nullptr);
  EXPECT_EQ(FindNamedEvent("PAPI_L1_DCM"), FindNamedEvent("l1d-misses"));
  EXPECT_EQ(FindNamedEvent("papi_l1_dcm"), FindNamedEvent("L1D-Misses"));
  EXPECT_EQ(FindNamedEvent("l1d-missed"), nullptr);
}

TEST(ChooseNamedEvent, IsAnEventOfThisProcessorOrOfTheKernel) {
  const ChosenMetric chosen = ChooseNamedEvent(*FindNamedEvent("l1d-misses"), {}, Right, AnyEvent);
  ASSERT_TRUE(chosen.event) << chosen.absence;
  EXPECT_NE(chosen.event_name, "");
  EXPECT_EQ(chosen.absence, "");
}

TEST(EventByName, WithoutAnEventHereSaysWhyAndIsNotOpened) {
  const auto event = EventByName("PAPI_TLB_DM", {}, NotCounted, NoSuchEvent);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->name, "PAPI_TLB_DM");
  EXPECT_THAT(event->absence, HasSubstr("exposes no such counter"));
  ProgramEventPlan plan;
  plan.events = {*event};
  std::size_t opened = 0;
  const auto events = ProgramEvents::Attach(1, plan, {}, [&](const ProgramEventRequest&) {
    ++opened;
    return -ENOENT;
  });
  ASSERT_TRUE(events.has_value());
  EXPECT_EQ(opened, 1U);  // page faults, which are always counted
  EXPECT_EQ(events->Absence(0), event->absence);
}

TEST(EventByName, MetricsOfTheHardwareEngineAreNamesToo) {
  const auto loads = EventByName("loads", {}, NotCounted, NoSuchEvent);
  ASSERT_TRUE(loads.has_value());
  EXPECT_NE(loads->absence, "");
  EXPECT_FALSE(EventByName("no-such-event", {}).has_value());
}

TEST(EventByName, KernelsAndLibpfmsNamesResolveAsBefore) {
  const auto faults = EventByName("page-faults", {});
  ASSERT_TRUE(faults.has_value());
  EXPECT_EQ(faults->event_class, EventClass::kSoftware);
  EXPECT_EQ(faults->absence, "");
}

}  // namespace
}  // namespace tare::pmu
