// source_events_test.cc: clocks that roll over, sites with odd names, and spans that do not nest.
#include <gtest/gtest.h>

#include <tare/events.h>

#include "format/source_events_wire.h"
#include "measure/events/source_reader.h"
#include "measure/events/span_totals.h"

namespace tare::events {
namespace {

TEST(SourceEvents, TheHeaderOfProgramsAndTareAgree) {
  EXPECT_EQ(sizeof(tare_events_file), sizeof(tare_source_header));
  EXPECT_EQ(offsetof(tare_events_file, lost), offsetof(tare_source_header, lost));
  EXPECT_EQ(offsetof(tare_events_file, taken), offsetof(tare_source_header, taken));
  EXPECT_EQ(TARE_EVENTS_MAGIC, TARE_SOURCE_MAGIC);
  EXPECT_EQ(TARE_EVENTS_WORDS, TARE_SOURCE_WORDS);
  EXPECT_EQ(static_cast<int>(TARE_EVENTS_KIND_SKIP), static_cast<int>(TARE_SOURCE_SKIP));
}

TEST(Rollover, IsCorrectedFromTheLastReading) {
  constexpr std::uint64_t kPeriod = std::uint64_t{1} << TARE_SOURCE_TIME_BITS;
  EXPECT_EQ(CorrectRollover(5, kPeriod - 3, 0), kPeriod + 5);
  EXPECT_EQ(CorrectRollover(kPeriod - 1, 3 * kPeriod - 2, 0), 3 * kPeriod - 1);
  EXPECT_EQ(CorrectRollover(100, 7 * kPeriod + 100, 0), 7 * kPeriod + 100);
  // An event that was timed shortly before the last reading is not a whole period later.
  EXPECT_EQ(CorrectRollover(90, 7 * kPeriod + 100, 50), 7 * kPeriod + 90);
}

TEST(Site, MayHaveAnyByteInItsName) {
  const auto site = ParseSite("7\ts\t12\ta.c\ta\tb\xff\n");
  ASSERT_TRUE(site);
  EXPECT_EQ(site->first, 7u);
  EXPECT_EQ(site->second.name, "a\tb\xff\n");
  EXPECT_EQ(site->second.kind, format::SiteKind::kSpan);
}

TEST(Site, WithoutNumberOrKindIsRefused) {
  for (const char* bad : {"", "x\ts\t1\tf\tn", "1\tz\t1\tf\tn", "1\ts\t\tf\tn", "1"})
    EXPECT_FALSE(ParseSite(bad)) << bad;
}

TEST(SpanStacks, NestAndForgetSpansThatAnExceptionLeft) {
  const std::vector<format::EventSite> sites = {{format::SiteKind::kSpan, "outer", "", 0},
                                                {format::SiteKind::kSpan, "inner", "", 0}};
  SpanStacks stacks;
  std::vector<EndedSpan> ended;
  const auto take = [&](format::TimedKind kind, std::uint32_t site, std::uint64_t time) {
    stacks.Take({kind, true, site, 0, time, 0}, sites,
                [&](const EndedSpan& span) { ended.push_back(span); });
  };
  take(format::TimedKind::kBegin, 0, 0);
  take(format::TimedKind::kBegin, 1, 10);
  take(format::TimedKind::kEnd, 1, 30);
  take(format::TimedKind::kBegin, 1, 40);  // never ends
  take(format::TimedKind::kEnd, 0, 100);
  take(format::TimedKind::kEnd, 1, 110);  // never began
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].own_ns, 20u);
  EXPECT_EQ(ended[1].own_ns, 80u);
  EXPECT_EQ(ended[1].inside, 1u);
  EXPECT_EQ(stacks.Unmatched(), 2u);
}

}  // namespace
}  // namespace tare::events
