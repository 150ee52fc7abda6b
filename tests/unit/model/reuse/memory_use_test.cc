// memory_use_test.cc: what Recent answers for is what every model would ignore.
#include "model/reuse/memory_use.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "plain_stacks.h"

namespace tare::reuse {
namespace {

std::size_t EveryDistance(std::uint64_t distance) { return std::min<std::uint64_t>(distance, 200); }

MemoryUsePlan SmallPlan() {
  MemoryUsePlan plan;
  plan.shapes = {{64, 128}, 4096, 32768, 6};
  plan.far = {.rate_bits = 0, .max_lines = 1 << 20, .seed = 1, .bin = EveryDistance};
  plan.page_bytes = {4096, 65536};
  return plan;
}

// As a loop over records does.
void Feed(MemoryUse& memory, const std::vector<PlainReference>& references) {
  for (const PlainReference& one : references) {
    const unsigned shift = one.store ? 0 : 1;
    const auto max_offset = static_cast<std::uint16_t>((64 - 4) << shift);
    if (memory.recent().Use(one.address, max_offset, shift)) continue;
    memory.Take({one.address, 4, one.store, 0x100, one.owner});
  }
  memory.Finish();
}

std::vector<std::uint64_t> Depths(const StackGrid& grid) {
  std::vector<std::uint64_t> depths(grid.shapes() * (grid.max_ways() + 1));
  for (std::uint32_t owner = 0; owner < 5; ++owner) grid.AddDepths(owner, depths);
  return depths;
}

std::vector<std::uint64_t> WriteBacks(const StackGrid& grid) {
  std::vector<std::uint64_t> write_backs(grid.shapes() * grid.max_ways());
  for (std::uint32_t owner = 0; owner < 5; ++owner) grid.AddWriteBacks(owner, write_backs);
  return write_backs;
}

// Accesses of 4 bytes that may span two lines, as references to lines.
void FeedLines(StackGrid& grid, const std::vector<PlainReference>& references) {
  for (const PlainReference& one : references) {
    grid.Reference(one.address, one.store, one.owner);
    if (one.address / 64 != (one.address + 3) / 64)
      grid.Reference(one.address + 3, one.store, one.owner);
  }
  grid.CountEvicted();
}

TEST(MemoryUse, RecentLinesChangeNothingInTheNearZone) {
  for (const PlainStream& stream : PlainStreams(20000)) {
    MemoryUse memory(SmallPlan());
    Feed(memory, stream.references);
    StackGrid all(SmallPlan().shapes);
    FeedLines(all, stream.references);
    EXPECT_EQ(Depths(memory.grid()), Depths(all)) << stream.name;
    EXPECT_EQ(WriteBacks(memory.grid()), WriteBacks(all)) << stream.name;
  }
}

TEST(MemoryUse, EveryGroupIsSimulatedAsIfItWereAlone) {
  const std::vector<PlainReference> references = PlainStreams(20000)[0].references;
  std::vector<std::uint64_t> sum;
  for (const std::uint32_t groups : {0x0000ffffU, 0xff00'0000U, 0x00ff'0000U}) {
    MemoryUsePlan plan = SmallPlan();
    plan.groups = groups;
    plan.far.rate_bits = 20;  // hardly any line matters to the far zone
    MemoryUse memory(plan);
    EXPECT_EQ(memory.groups(), groups);
    Feed(memory, references);
    const auto depths = Depths(memory.grid());
    sum.resize(depths.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += depths[i];
    for (unsigned group = 0; group < kMaxGroups; ++group)
      EXPECT_EQ(memory.GroupsOf(1)[group] > 0, (groups >> group & 1) != 0) << group;
  }
  StackGrid all(SmallPlan().shapes);
  FeedLines(all, references);
  EXPECT_EQ(sum, Depths(all));
}

std::vector<PageCounts> PlainPages(const std::vector<PlainReference>& references) {
  std::vector<PageCounts> pages(2, {std::vector<std::uint64_t>(201), 0});
  PlainStack small;
  PlainStack large;
  const auto count = [](std::optional<std::uint64_t> distance, PageCounts& to) {
    if (!distance) {
      ++to.cold;
    } else if (*distance > 0) {
      ++to.at_distance[EveryDistance(*distance)];
    }
  };
  for (const PlainReference& one : references) {
    for (const std::uint64_t address : {one.address / 64, (one.address + 3) / 64}) {
      count(small.Use(address * 64 / 4096), pages[0]);
      count(large.Use(address * 64 / 65536), pages[1]);
    }
  }
  return pages;
}

TEST(MemoryUse, DistancesOfPagesAreExactWithOneEntry) {
  for (PlainStream& stream : PlainStreams(20000)) {
    for (PlainReference& one : stream.references) one.owner = 1;
    MemoryUse memory(SmallPlan());
    Feed(memory, stream.references);
    auto pages = memory.PagesOf(1);
    const auto expected = PlainPages(stream.references);
    for (std::size_t i = 0; i < 2; ++i) {
      pages[i].at_distance.resize(201);
      EXPECT_EQ(pages[i].at_distance, expected[i].at_distance) << stream.name;
      EXPECT_EQ(pages[i].cold, expected[i].cold) << stream.name;
    }
  }
}

// A page that is used all the time stays recent, although it is not looked at.
TEST(MemoryUse, APageOfTheTableIsRecentWhenItLeaves) {
  MemoryUsePlan plan = SmallPlan();
  plan.page_entries = 4;
  MemoryUse memory(plan);
  const auto use = [&memory](std::uint64_t page, std::uint64_t line) {
    Feed(memory, {{page * 4096 + line * 64, false, 1}});
  };
  use(1, 0);
  // 60 pages that leave page 1 in its entry, which is used at each of them.
  for (std::uint64_t page = 0; page < 80; ++page) {
    if (page % 4 == 1) continue;
    use(100 + page, 5);
    use(1, 0);
  }
  use(105, 5);  // takes the entry
  use(1, 1);
  const auto pages = memory.PagesOf(1)[0];
  EXPECT_EQ(std::accumulate(pages.at_distance.begin(), pages.at_distance.end(), 0U), 1U);
  // The pages of the table count as used since, and only they.
  ASSERT_EQ(pages.at_distance.size(), 5U);
  EXPECT_EQ(pages.at_distance[4], 1U);
}

// 100 pages in turn: each is used again after 99 others, also after a gap, of which nothing is
// known.
TEST(MemoryUse, PagesAreCountedInWindows) {
  MemoryUse memory(SmallPlan());
  const auto sweep = [&memory](unsigned times) {
    for (std::uint64_t i = 0; i < 100 * times; ++i)
      Feed(memory, {{0x100'0000 + i % 100 * 4096, false, 1}});
  };
  sweep(2);
  memory.IgnorePages();
  sweep(5);
  memory.WarmPages();
  sweep(1);
  memory.CountPages();
  sweep(3);
  const auto pages = memory.PagesOf(1)[0];
  EXPECT_EQ(pages.cold, 100U);
  ASSERT_EQ(pages.at_distance.size(), 100U);
  EXPECT_EQ(pages.at_distance[99], 400U);
  // Without a sweep for warming, a page whose last use is unknown is behind all that were used.
  memory.WarmPages();
  memory.CountPages();
  sweep(1);
  EXPECT_EQ(memory.PagesOf(1)[0].cold, 100U);
  EXPECT_EQ(memory.PagesOf(1)[0].at_distance[50], 1U);
}

// All misses are in groups that are not covered, or all in those that are. A window shows it.
TEST(MemoryUse, WindowsShowHowGroupsDiffer) {
  for (const bool covered : {false, true}) {
    MemoryUsePlan plan = SmallPlan();
    plan.groups = 0x0000'0001;
    MemoryUse memory(plan);
    // Thrashes one set of the smallest shape, beside one line of a covered group that is used again
    // and again.
    const auto walk = [&](unsigned times) {
      for (std::uint64_t i = 0; i < times; ++i) {
        Feed(memory, {{0x100'0000 + i % 100 * 4096 + (covered ? 0 : 1024), false, 1}});
        Feed(memory, {{0x900'0000 + i % 100 * 4096 + (i % 10 == 0 ? 0 : 1024), false, 1}});
      }
    };
    walk(2000);
    memory.IgnorePages();
    walk(2000);
    memory.WarmPages();
    walk(1000);
    memory.CountPages();
    walk(2000);
    const std::vector<double> scales = memory.GroupScales();
    // At depth 1 or beyond in the first shape: 2 references of which 0.1 or 1.1 are covered.
    EXPECT_NEAR(scales[1], covered ? 2 / 1.1 : 20, covered ? 0.3 : 2.5);
  }
}

// With few groups, lines of others need not be passed; what is counted is the same.
TEST(MemoryUse, LinesThatDoNotMatterAreNotPassed) {
  const std::vector<PlainReference> references = PlainStreams(20000).back().references;
  MemoryUsePlan plan = SmallPlan();
  plan.groups = 0x0101'0101;
  plan.far.rate_bits = 4;
  plan.far.eligible = NearLines(plan.shapes, plan.groups);
  MemoryUse with_pages(plan);
  Feed(with_pages, references);
  MemoryUse without(plan);
  without.IgnorePages();
  Feed(without, references);
  EXPECT_EQ(Depths(with_pages.grid()), Depths(without.grid()));
  EXPECT_EQ(WriteBacks(with_pages.grid()), WriteBacks(without.grid()));
  const auto a = with_pages.far().Estimates();
  const auto b = without.far().Estimates();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].second.at_distance, b[i].second.at_distance);
    EXPECT_EQ(a[i].second.cold, b[i].second.cold);
  }
  // An unimportant line is answered for, an important one is not.
  std::uint64_t answered = 0;
  for (std::uint64_t line = 0; line < 64; ++line) {
    without.Take({0x7777'0000 + line * 64, 4, false, 0, 1});
    Feed(without, {{0x7778'0000 + line * 64, false, 1}});
    if (without.recent().Use(0x7777'0000 + line * 64, 120, 1)) ++answered;
  }
  // 56 of 64 lines are of other groups; 4 are sampled.
  EXPECT_GE(answered, 64U - 8 - 4);
  EXPECT_LE(answered, 64U - 8);
}

TEST(MemoryUse, FarDistancesAreAlmostExactIfAllLinesAreSampled) {
  for (PlainStream& stream : PlainStreams(10000)) {
    for (PlainReference& one : stream.references) one.address &= ~std::uint64_t{63};
    MemoryUsePlan plan = SmallPlan();
    plan.far.bin = [](std::uint64_t distance) -> std::size_t { return distance >= 200 ? 1 : 0; };
    MemoryUse memory(plan);
    Feed(memory, stream.references);
    double far = 0;
    double cold = 0;
    for (const auto& [owner, estimate] : memory.far().Estimates()) {
      if (estimate.at_distance.size() > 1) far += estimate.at_distance[1];
      cold += estimate.cold;
    }
    PlainStack plain;
    double least = 0;
    double most = 0;
    double first = 0;
    for (const PlainReference& one : stream.references) {
      const auto distance = plain.Use(one.address / 64);
      first += distance ? 0 : 1;
      // Lines of the table of 32 are older than they seem to be, and others newer.
      least += distance && *distance >= 200 + 200 ? 1 : 0;
      most += distance && *distance >= 200 - 32 ? 1 : 0;
    }
    EXPECT_EQ(cold, first) << stream.name;
    EXPECT_GE(far, least) << stream.name;
    EXPECT_LE(far, most) << stream.name;
  }
}

TEST(MemoryUse, CountsLinesThatAnAccessSpans) {
  MemoryUse memory(SmallPlan());
  memory.Take({0x1000 + 60, 8, false, 0, 2});    // two lines of 64 bytes, one of 128
  memory.Take({0x2000 + 124, 8, true, 0, 2});    // two of both
  memory.Take({0x3000 + 10, 300, false, 0, 2});  // five and three
  EXPECT_EQ(memory.FurtherLines(2, 0), 1U + 1 + 4);
  EXPECT_EQ(memory.FurtherLines(2, 1), 0U + 1 + 2);
  EXPECT_EQ(memory.FurtherLines(1, 0), 0U);
}

TEST(MemoryUse, KnowsNoLineDuringABurst) {
  MemoryUse memory(SmallPlan());
  memory.Take({0x1000, 4, false, 0, 1});
  EXPECT_TRUE(memory.recent().Use(0x1004, 120, 1));
  memory.StartBurst();
  EXPECT_FALSE(memory.recent().Use(0x1004, 120, 1));
  memory.Take({0x1004, 4, false, 0, 1});
  memory.Take({0x1008, 4, false, 0, 1});
  EXPECT_EQ(memory.strides().CountsOf(1).one, 1U);
  memory.EndBurst();
  EXPECT_TRUE(memory.recent().Use(0x1004, 120, 1));
}

}  // namespace
}  // namespace tare::reuse
