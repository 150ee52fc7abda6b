// core_test.cc: tests that the fast core counts the same events as the simple one.
#include "model/core/core.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "model/core/hierarchy.h"
#include "model/core/tlbs.h"
#include "stats/random.h"
#include "tests/unit/model/core/plain_core.h"

namespace tare::model {
namespace {

using stats::Generator;

template <typename Value>
Value OneOf(Generator& random, std::initializer_list<Value> values) {
  return values.begin()[random.Below(values.size())];
}

constexpr std::initializer_list<Replacement> kReplacements = {
    Replacement::kLru, Replacement::kTreePlru, Replacement::kRandom};

// So small that lines are often evicted, filled again, and evicted again.
CacheLevel AnyLevel(Generator& random, std::uint64_t max_sets, unsigned line_bytes) {
  CacheLevel level;
  level.replacement = OneOf(random, kReplacements);
  level.ways = OneOf<unsigned>(random, {1, 2, 3, 4, 8});
  if (level.replacement == Replacement::kTreePlru && level.ways == 3) level.ways = 4;
  level.line_bytes = line_bytes;
  const std::uint64_t sets = std::uint64_t{1} << random.Below(max_sets);
  level.bytes = sets * level.ways * line_bytes;
  return level;
}

std::optional<TlbLevel> AnyTlb(Generator& random, unsigned most) {
  if (random.Below(4) == 0) return std::nullopt;
  const unsigned ways = OneOf<unsigned>(random, {1, 2, 4, most});
  return TlbLevel{.entries = ways * OneOf<unsigned>(random, {1, 2, 4}),
                  .ways = ways,
                  .replacement = OneOf(random, kReplacements)};
}

void AddOuterLevels(Generator& random, Processor& p) {
  const auto outer = [&](std::uint64_t max_sets) {
    CacheLevel level = AnyLevel(random, max_sets, OneOf<unsigned>(random, {32, 32, 64}));
    level.write = OneOf(random, {WritePolicy::kBack, WritePolicy::kBack, WritePolicy::kThrough});
    level.inclusion =
        OneOf(random, {Inclusion::kNine, Inclusion::kInclusive, Inclusion::kExclusive});
    return level;
  };
  const std::uint64_t levels = random.Below(4);
  if (levels > 0) p.l2 = outer(4);
  if (levels > 1) p.l3 = outer(6);
  if (p.l3 && random.Below(2) == 0) {
    const std::uint64_t sets = OneOf<std::uint64_t>(random, {3, 5, 12});
    p.l3->bytes = sets * p.l3->ways * p.l3->line_bytes;
  }
}

Processor AnyProcessor(Generator& random) {
  Processor p;
  p.name = "any";
  p.seed = random.Below(1000);
  p.l1i = AnyLevel(random, 4, 32);
  p.l1d = AnyLevel(random, 4, 32);
  p.l1d.write = OneOf(random, {WritePolicy::kBack, WritePolicy::kBack, WritePolicy::kThrough});
  AddOuterLevels(random, p);
  p.small_pages = {AnyTlb(random, 5), AnyTlb(random, 6), AnyTlb(random, 12)};
  p.prefetching = {.next_line = random.Below(3) == 0,
                   .instructions = random.Below(3) == 0,
                   .stride_entries = OneOf<unsigned>(random, {0, 0, 2, 16}),
                   .stride_degree = OneOf<unsigned>(random, {1, 3})};
  if (random.Below(5) == 0) {
    p.split = Split::kOnce;
    p.prefetching = {};
    for (CacheLevel* level : {&p.l1d, p.l2 ? &*p.l2 : nullptr, p.l3 ? &*p.l3 : nullptr}) {
      if (level == nullptr) continue;
      level->write = WritePolicy::kIgnored;
      level->inclusion = Inclusion::kNine;
    }
  }
  return p;
}

// A processor for which the models have a fast path: no unusual features, of any size.
Processor AnyPlainProcessor(Generator& random) {
  Processor p;
  p.name = "plain";
  const unsigned line_bytes = OneOf<unsigned>(random, {32, 64});
  const auto level = [&](std::uint64_t max_sets) {
    CacheLevel one = AnyLevel(random, max_sets, line_bytes);
    one.replacement = Replacement::kLru;
    return one;
  };
  p.l1i = level(4);
  p.l1d = level(4);
  if (random.Below(4) != 0) p.l2 = level(5);
  if (p.l2 && random.Below(2) == 0) p.l3 = level(6);
  p.small_pages = {AnyTlb(random, 5), AnyTlb(random, 6), AnyTlb(random, 12)};
  for (auto* tlb : {&p.small_pages.instruction, &p.small_pages.data, &p.small_pages.second}) {
    if (*tlb) (*tlb)->replacement = Replacement::kLru;
  }
  return p;
}

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

}  // namespace
}  // namespace tare::model
