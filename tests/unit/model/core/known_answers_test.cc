// known_answers_test.cc: tests counts that can be worked out by hand.
#include <gtest/gtest.h>

#include <initializer_list>

#include "model/core/core.h"
#include "model/core/hierarchy_moves.h"
#include "stats/random.h"

namespace tare::model {
namespace {

using stats::Generator;

CacheLevel Level64(std::uint64_t bytes, unsigned ways) { return {.bytes = bytes, .ways = ways}; }

Processor Small() {
  Processor p;
  p.name = "small";
  p.l1i = Level64(1024, 2);
  p.l1d = Level64(1024, 2);
  return p;
}

EventCounts Loads(const Processor& p, std::initializer_list<std::uint64_t> addresses, int rounds) {
  auto core = Core::Make(p);
  EventCounts counts;
  for (int i = 0; i < rounds; ++i) {
    for (const std::uint64_t address : addresses) core->Access({address, 8, false, 0}, counts);
  }
  return counts;
}

TEST(Core, ThreeLinesInRotationAlwaysMissATwoWayLruSet) {
  // 8 sets of 64 bytes: lines that are 512 bytes apart share a set.
  EXPECT_EQ(Loads(Small(), {0, 512, 1024}, 100)[Event::kL1dLoadMisses], 300U);
  EXPECT_EQ(Loads(Small(), {0, 512}, 100)[Event::kL1dLoadMisses], 2U);
  EXPECT_EQ(Loads(Small(), {0, 512, 64}, 100)[Event::kL1dLoadMisses], 3U);
}

TEST(Core, AWalkMissesOncePerLine) {
  Processor p = Small();
  auto core = Core::Make(p);
  EventCounts counts;
  for (std::uint64_t at = 0; at < 64 * 1024; at += 8) core->Access({at, 8, true, 0}, counts);
  EXPECT_EQ(counts[Event::kL1dStoreMisses], 1024U);
  // All but the 16 lines that are still cached were written back.
  EXPECT_EQ(counts[Event::kL1dWriteBacks], 1024U - 16U);
}

TEST(Core, AMatrixByColumnsMissesAtEveryElementAndByRowsAtEveryEighth) {
  constexpr std::uint64_t kSide = 64;
  for (const bool by_columns : {false, true}) {
    auto core = Core::Make(Small());
    EventCounts counts;
    for (std::uint64_t i = 0; i < kSide; ++i) {
      for (std::uint64_t j = 0; j < kSide; ++j) {
        const std::uint64_t element = by_columns ? j * kSide + i : i * kSide + j;
        core->Access({element * 8, 8, false, 0}, counts);
      }
    }
    EXPECT_EQ(counts[Event::kL1dLoadMisses], by_columns ? kSide * kSide : kSide * kSide / 8);
  }
}

TEST(Core, AnAccessInTwoLinesMissesTwiceOrOnce) {
  Processor p = Small();
  EXPECT_EQ(Loads(p, {60}, 1)[Event::kL1dLoadMisses], 2U);
  p.split = Split::kOnce;
  p.l1d.write = WritePolicy::kIgnored;
  EXPECT_EQ(Loads(p, {60}, 1)[Event::kL1dLoadMisses], 1U);
  // One line of two is cached: still a miss, and both are looked up in the next level.
  EXPECT_EQ(Loads(p, {64, 60}, 1)[Event::kL1dLoadMisses], 2U);
}

TEST(Core, TranslationsMissOncePerPageWhileThereIsRoom) {
  Processor p = Small();
  p.small_pages.data = TlbLevel{.entries = 4, .ways = 4};
  EXPECT_EQ(Loads(p, {0, 4096, 8192, 12288}, 10)[Event::kDtlbLoadMisses], 4U);
  EXPECT_EQ(Loads(p, {0, 4096, 8192, 12288, 16384}, 10)[Event::kDtlbLoadMisses], 50U);
  EXPECT_EQ(Loads(p, {4094}, 1)[Event::kDtlbLoadMisses], 2U);
  p.small_pages.second = TlbLevel{.entries = 8, .ways = 2};
  const EventCounts counts = Loads(p, {0, 4096, 8192, 12288, 16384}, 10);
  EXPECT_EQ(counts[Event::kDtlbLoadMisses], 50U);
  EXPECT_EQ(counts[Event::kDataWalks], 5U);
  p.large_pages.data = TlbLevel{.entries = 1, .ways = 1};
  p.page_bytes = kLargePage;
  EXPECT_EQ(Loads(p, {0, 4096, 8192, 12288, 16384}, 10)[Event::kDtlbLoadMisses], 1U);
}

TEST(Core, NextLineAndStridePrefetchWhatAWalkNeeds) {
  Processor p = Small();
  p.prefetching.next_line = true;
  auto core = Core::Make(p);
  EventCounts counts;
  for (std::uint64_t at = 0; at < 4096; at += 8) core->Access({at, 8, false, 4}, counts);
  // The first of 64 lines misses, the others hit; nothing is prefetched from the next page.
  EXPECT_EQ(counts[Event::kL1dLoadMisses], 1U);
  EXPECT_EQ(counts[Event::kPrefetches], 63U);
  EXPECT_EQ(counts[Event::kPrefetchesUsed], 63U);
  p.prefetching = {.next_line = false, .instructions = false, .stride_entries = 16};
  core = Core::Make(p);
  counts = {};
  for (std::uint64_t at = 0; at < 4096; at += 128) core->Access({at, 8, false, 4}, counts);
  // 32 lines: the third shows two equal strides; from the fourth on they hit.
  EXPECT_EQ(counts[Event::kL1dLoadMisses], 3U);
  EXPECT_EQ(counts[Event::kPrefetchesUsed], 29U);
}

TEST(Core, WritingThroughLeavesNothingToWriteBack) {
  Processor p = Small();
  p.l1d.write = WritePolicy::kThrough;
  p.l2 = Level64(4096, 4);
  auto core = Core::Make(p);
  EventCounts counts;
  for (int i = 0; i < 10; ++i) core->Access({0, 8, true, 0}, counts);
  // Stores do not allocate, so each misses; the second level has the line after the first.
  EXPECT_EQ(counts[Event::kL1dStoreMisses], 10U);
  EXPECT_EQ(counts[Event::kL2StoreMisses], 1U);
  core->Access({0, 8, false, 0}, counts);
  core->Access({0, 8, true, 0}, counts);
  EXPECT_EQ(counts[Event::kL1dStoreMisses], 10U);
  EXPECT_EQ(counts[Event::kL1dWriteBacks], 0U);
}

TEST(Core, TheSameSeedGivesTheSameRandomReplacementAndAnotherDoesNot) {
  const auto misses = [](std::uint64_t seed) {
    Processor p = Small();
    p.seed = seed;
    p.l1d.replacement = Replacement::kRandom;
    return Loads(p, {0, 512, 1024, 1536, 64}, 1000)[Event::kL1dLoadMisses];
  };
  EXPECT_EQ(misses(1), misses(1));
  EXPECT_NE(misses(1), misses(2));
}

TEST(Core, TheHighestAddressesAreAddressesAsOthers) {
  const EventCounts counts = Loads(Small(), {~std::uint64_t{0} - 7, ~std::uint64_t{0} - 3}, 3);
  EXPECT_EQ(counts[Event::kL1dLoadMisses], 2U);  // the second is also in the line at 0
}

class Levels : public testing::Test {
 protected:
  using Caches = Hierarchy<false>;

  Levels() {
    p_ = Small();
    p_.l2 = Level64(2048, 2);
    p_.l3 = Level64(4096, 4);
  }

  // Calls `check` with lines of the address space, repeatedly during the run.
  template <typename Check>
  void Run(Check check) {
    ASSERT_TRUE(Validate(p_)) << Validate(p_).error().message;
    RecentLines code(6, p_.page_bytes);
    RecentLines data(6, p_.page_bytes);
    Caches caches(p_, code, data);
    Generator random(5);
    EventCounts counts;
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t at = random.Below(16384);
      if (random.Below(3) == 0) {
        caches.Fetch(at, 4, counts);
      } else {
        caches.Access(at, 4, random.Below(2) == 0, 0, counts);
      }
      for (std::uint64_t line = 0; line < 16384 && i % 10 == 0; line += 64) check(caches, line);
    }
  }

  Processor p_;
};

TEST_F(Levels, AnInclusiveThirdHoldsWhatTheNearerOnesHold) {
  p_.l3->inclusion = Inclusion::kInclusive;
  int found = 0;
  Run([&](Caches& caches, std::uint64_t line) {
    if (caches.Contains(0, line) || caches.Contains(1, line) || caches.Contains(2, line)) {
      ++found;
      EXPECT_TRUE(caches.Contains(3, line)) << line;
    }
  });
  EXPECT_GT(found, 1000);
}

TEST_F(Levels, ExclusiveOnesHoldNoLineTwice) {
  p_.l2->inclusion = Inclusion::kExclusive;
  p_.l3->inclusion = Inclusion::kExclusive;
  int found = 0;
  Run([&](Caches& caches, std::uint64_t line) {
    const bool nearer = caches.Contains(0, line) || caches.Contains(1, line);
    const int places =
        (nearer ? 1 : 0) + (caches.Contains(2, line) ? 1 : 0) + (caches.Contains(3, line) ? 1 : 0);
    found += places;
    EXPECT_LE(places, 1) << line;
  });
  EXPECT_GT(found, 1000);
}

TEST(Core, ADescriptionThatCannotBeBuiltIsRefused) {
  Processor p = Small();
  p.l1d.ways = 0;
  const auto core = Core::Make(p);
  ASSERT_FALSE(core);
  EXPECT_EQ(core.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(core.error().message,
            "invalid description of small: l1d.ways is 0: a cache needs at least 1 way");
}

}  // namespace
}  // namespace tare::model
