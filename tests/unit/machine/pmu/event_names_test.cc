// event_names_test.cc: tests event names that libpfm4 knows on every machine, and unknown ones.
#include "machine/pmu/event_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace tare::pmu {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ResolveEvent, GenericNamesGiveTheKernelsCodes) {
  const auto event = ResolveEvent("instructions");
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->code.type, static_cast<std::uint32_t>(PERF_TYPE_HARDWARE));
  EXPECT_EQ(event->code.config, static_cast<std::uint64_t>(PERF_COUNT_HW_INSTRUCTIONS));
  EXPECT_TRUE(event->code.user);
  EXPECT_FALSE(event->code.kernel);
  EXPECT_THAT(event->full_name, HasSubstr("PERF_COUNT_HW_INSTRUCTIONS"));
}

TEST(ResolveEvent, TheModeFollowsTheColon) {
  const auto kernel = ResolveEvent("cycles:k");
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_FALSE(kernel->code.user);
  EXPECT_TRUE(kernel->code.kernel);
  const auto both = ResolveEvent("page-faults:u:k");
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_TRUE(both->code.user && both->code.kernel);
  EXPECT_EQ(both->code.type, static_cast<std::uint32_t>(PERF_TYPE_SOFTWARE));
}

TEST(ResolveEvent, AMisspeltNameIsAnsweredWithItsNeighbour) {
  const auto event = ResolveEvent("instructionz:u");
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(event.error().message, HasSubstr("unknown event instructionz:u"));
  EXPECT_THAT(event.error().message, HasSubstr("INSTRUCTIONS"));
}

TEST(ResolveEvent, AWrongAttributeIsDistinguishedFromAWrongName) {
  const auto event = ResolveEvent("instructions:zz");
  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().message, HasSubstr("check what follows the colon"));
}

TEST(ResolveEvent, NonsenseIsRefusedAndEscaped) {
  for (const std::string& wrong :
       {std::string(), std::string(" "), std::string("a\0b", 3), std::string(100000, 'x'),
        std::string("::"), std::string(":::u"), std::string("perf::"), std::string("\xff\xfe"),
        std::string("%s%n"), std::string("\x1b[31m")}) {
    const auto event = ResolveEvent(wrong);
    ASSERT_FALSE(event) << wrong;
    EXPECT_EQ(event.error().message.find('\x1b'), std::string::npos);
    EXPECT_LT(event.error().message.size(), 2000U);
  }
}

TEST(NearEventNames, AreFewAndNoneForWhatLooksLikeNothing) {
  EXPECT_THAT(NearEventNames("page-fault", 3), Contains("PAGE-FAULTS"));
  EXPECT_LE(NearEventNames("cache", 2).size(), 2U);
  EXPECT_THAT(NearEventNames("qqqqqqqqqqqqqqqqqq", 3), IsEmpty());
  EXPECT_THAT(NearEventNames("", 3), IsEmpty());
}

TEST(EventTables, TheGenericOneIsEverywhere) {
  const auto tables = EventTablesHere();
  ASSERT_TRUE(tables) << tables.error().message;
  const auto generic = std::ranges::find(*tables, "perf", &EventTable::name);
  ASSERT_NE(generic, tables->end());
  EXPECT_GT(generic->events, 0U);
}

}  // namespace
}  // namespace tare::pmu
