// core_test.cc: tests that the fast core counts the same events as the simple one.
#include "model/core/core.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "model/core/hierarchy.h"
#include "model/core/tlbs.h"
#include "stats/random.h"
#include "tests/unit/model/core/any_processor.h"
#include "tests/unit/model/core/plain_core.h"

namespace tare::model {
namespace {

using stats::Generator;

// Walks, hot spots and jumps, in an address space small enough for reuse; code and data overlap.
class AnyProgram {
 public:
  explicit AnyProgram(std::uint64_t seed) : random_(seed) {}

  void Step(Core& core, PlainCore& plain, EventCounts& counts) {
    if (random_.Below(4) == 0) {
      code_ =
          random_.Below(6) == 0 ? kStart + random_.Below(kSpace / 4) : code_ + random_.Below(40);
      if (code_ > kStart + kSpace) code_ = kStart;
      const auto bytes =
          static_cast<std::uint32_t>(1 + random_.Below(random_.Below(9) == 0 ? 200 : 15));
      core.Fetch(code_, bytes, counts);
      plain.Fetch(code_, bytes);
      return;
    }
    const std::size_t walk = random_.Below(walks_.size());
    std::uint64_t& at = walks_[walk];
    at += walk * 24 + (walk == 3 ? kPage : 0);
    if (random_.Below(20) == 0) at = kStart + random_.Below(kSpace);
    if (at > kStart + kSpace) at = kStart + random_.Below(64);
    const auto bytes =
        static_cast<std::uint32_t>(1 + random_.Below(random_.Below(50) == 0 ? 9000 : 16));
    const DataAccess access{at, bytes, random_.Below(3) == 0, kStart + 4 * walk};
    core.Access(access, counts);
    plain.Access(access.address, access.bytes, access.store, access.site);
    if (random_.Below(3) != 0) {  // repeat
      core.Access(access, counts);
      plain.Access(access.address, access.bytes, access.store, access.site);
    }
  }

 private:
  static constexpr std::uint64_t kStart = 0x7f0000400000;
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kSpace = 12 * kPage;

  Generator random_;
  std::uint64_t code_ = kStart;
  std::array<std::uint64_t, 6> walks_ = {kStart, kStart, kStart, kStart, kStart, kStart};
};

std::string Text(const Processor& p) {
  const auto level = [](const std::optional<CacheLevel>& l) {
    if (!l) return std::string("-");
    return std::to_string(l->bytes) + "/" + std::to_string(l->ways) + "/" +
           std::to_string(l->line_bytes) + " r" + std::to_string(static_cast<int>(l->replacement)) +
           " w" + std::to_string(static_cast<int>(l->write)) + " c" +
           std::to_string(static_cast<int>(l->inclusion));
  };
  return level(p.l1i) + ", " + level(p.l1d) + ", " + level(p.l2) + ", " + level(p.l3);
}

void ExpectEqual(const EventCounts& fast, const EventCounts& plain) {
  for (std::size_t i = 0; i < kEvents; ++i) {
    EXPECT_EQ(fast[static_cast<Event>(i)], plain[static_cast<Event>(i)]) << "event " << i;
  }
}

TEST(Core, CountsAsThePlainOneForEveryKindOfProcessor) {
  Generator random(8);
  EventCounts all;
  std::set<std::string> kinds;
  int tried = 0;
  while (tried < 400) {
    const Processor p = AnyProcessor(random);
    auto core = Core::Make(p);
    if (!core) continue;
    ++tried;
    if (p.l2) {
      kinds.insert("l2 " + std::to_string(static_cast<int>(p.l2->inclusion)) +
                   std::to_string(static_cast<int>(p.l2->write)));
    }
    if (p.l3) kinds.insert("l3 " + std::to_string(static_cast<int>(p.l3->inclusion)));
    PlainCore plain(p);
    AnyProgram program(random.Next());
    EventCounts counts;
    for (int step = 0; step < 1500; ++step) {
      program.Step(*core, plain, counts);
      if (counts == plain.counts) continue;
      ExpectEqual(counts, plain.counts);
      FAIL() << "at step " << step << " of " << Text(p);
    }
    all += counts;
  }
  // Everything happened: six kinds of second levels, three of third ones, and every event.
  EXPECT_EQ(kinds.size(), 6U + 3U);
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Event::kPrefetchesUsed); ++i) {
    EXPECT_GT(all[static_cast<Event>(i)], 0U) << i;
  }
}

TEST(Core, CountsLikeThePlainModelOnTheFastPath) {
  Generator random(9);
  EventCounts all;
  for (int tried = 0; tried < 200; ++tried) {
    const Processor p = AnyPlainProcessor(random);
    ASSERT_TRUE(IsPlain(p) && HasPlainTlbs(p));
    auto core = Core::Make(p);
    if (!core) continue;  // an L2 TLB without an L1 TLB
    PlainCore plain(p);
    AnyProgram program(random.Next());
    EventCounts counts;
    for (int step = 0; step < 1500 && counts == plain.counts; ++step) {
      program.Step(*core, plain, counts);
    }
    ExpectEqual(counts, plain.counts);
    if (HasFailure()) FAIL() << Text(p);
    all += counts;
  }
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Event::kDataWalks); ++i) {
    EXPECT_GT(all[static_cast<Event>(i)], 0U) << i;
  }
}

TEST(Core, TranslationsOfManyWaysCountAsThePlainOnes) {
  Processor p;
  p.name = "many ways";
  p.l1i = {.bytes = 40 * 64, .ways = 40};
  p.l1d = {.bytes = 4096, .ways = 4};
  p.l2 = CacheLevel{.bytes = 33 * 4 * 64, .ways = 33, .inclusion = Inclusion::kInclusive};
  p.small_pages = {TlbLevel{.entries = 33, .ways = 33}, TlbLevel{.entries = 40, .ways = 40},
                   TlbLevel{.entries = 128, .ways = 64}};
  auto core = Core::Make(p);
  ASSERT_TRUE(core) << core.error().message;
  PlainCore plain(p);
  Generator random(3);
  EventCounts counts;
  for (int step = 0; step < 20000; ++step) {
    // Some pages are used often, so that candidates for eviction are not evicted.
    const std::uint64_t pages = OneOf<std::uint64_t>(random, {4, 36, 180});
    const std::uint64_t at = random.Below(pages) * 4096 + random.Below(4) * 64;
    if (random.Below(3) == 0) {
      core->Fetch(at, 4, counts);
      plain.Fetch(at, 4);
    } else {
      const bool store = random.Below(2) == 0;
      core->Access({at, 8, store, 0}, counts);
      plain.Access(at, 8, store, 0);
    }
    if (counts != plain.counts) break;
  }
  ExpectEqual(counts, plain.counts);
  EXPECT_GT(counts[Event::kDataWalks], 100U);
}

// One set of two ways. The third access is shortened to 32 bytes, which are in the line at 0x1000
// alone, so that the line at 0x1040 is evicted next.
TEST(Core, AShortenedAccessUsesOnlyTheLinesThatItReaches) {
  Processor processor;
  processor.name = "once";
  processor.split = Split::kOnce;
  processor.l1i = {.bytes = 64, .ways = 2, .line_bytes = 32};
  processor.l1d = {.bytes = 128, .ways = 2, .line_bytes = 64};
  processor.l1d.write = WritePolicy::kIgnored;
  auto core = Core::Make(processor);
  ASSERT_TRUE(core) << core.error().message;
  EventCounts counts;
  core->Access({.address = 0x1040, .bytes = 8}, counts);
  core->Access({.address = 0x1000, .bytes = 8}, counts);
  core->Access({.address = 0x101e, .bytes = 40}, counts);
  core->Access({.address = 0x2000, .bytes = 8}, counts);
  EXPECT_EQ(counts[Event::kL1dLoadMisses], 3U);
  core->Access({.address = 0x1000, .bytes = 8}, counts);
  EXPECT_EQ(counts[Event::kL1dLoadMisses], 3U);
}

}  // namespace
}  // namespace tare::model
