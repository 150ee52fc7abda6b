// exact_filter_test.cc: tests that flows from which repeated accesses were dropped give the same
// events.
#include "model/vpmu/exact_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "model/vpmu/flow_taker.h"
#include "plain_filter.h"
#include "recording_model.h"
#include "stats/random.h"
#include "tests/unit/model/core/any_processor.h"

namespace tare::vpmu {
namespace {

using model::CacheLevel;
using model::EventCounts;
using model::Inclusion;
using model::OneOf;
using model::Processor;
using model::WritePolicy;
using stats::Generator;

Processor TwoLevels() {
  Processor processor;
  processor.name = "two levels";
  processor.l1i = {.bytes = 32768, .ways = 8};
  processor.l1d = {.bytes = 32768, .ways = 8};
  processor.l2 = CacheLevel{.bytes = 524288, .ways = 8};
  processor.small_pages.data = model::TlbLevel{.entries = 64, .ways = 4};
  return processor;
}

// Blocks with accesses of all kinds, and executions of them that mostly repeat.
class AnyFlow {
 public:
  explicit AnyFlow(std::uint64_t seed) : random_(seed) {
    for (std::size_t i = 0; i < walks_.size(); ++i) AddBlock();
    for (std::uint64_t& walk : walks_) walk = AnyAddress();
  }

  Blocks blocks;

  // The next record, with all its words.
  std::vector<std::uint64_t> Record() {
    if (!last_.empty() && random_.Below(2) == 0) return last_;
    return last_ = AnyRecord();
  }

 private:
  static constexpr std::uint64_t kStart = 0x100000;
  static constexpr std::uint64_t kSpace = 0x8000;

  std::vector<std::uint64_t> AnyRecord() {
    const std::uint64_t number = 1 + random_.Below(blocks.all.size());
    const format::FlowBlock& block = blocks.all[number - 1];
    std::vector<std::uint64_t> record(block.words);
    record[0] = number;
    for (std::size_t word = 1; word < record.size(); ++word)
      record[word] = NextAddress(number, word);
    for (const format::FlowAccess& access : block.accesses) {
      if (access.kind >= TARE_FLOW_GUARDED_LOAD && random_.Below(2) == 0) record[access.word] = 0;
    }
    return record;
  }

  std::uint64_t AnyAddress() { return kStart + random_.Below(kSpace); }

  // Each block has a walk of its own, from line to line in the same direction.
  std::uint64_t NextAddress(std::uint64_t number, std::uint64_t word) {
    std::uint64_t& walk = walks_[number - 1];
    if (random_.Below(12) == 0) walk = AnyAddress();
    if (random_.Below(2) == 0) walk += 8 + 56 * (number % 2);
    return walk + (word - 1) * 0x1008;
  }

  void AddBlock() {
    // One after the other: compilers differ in the order in which they evaluate arguments.
    const std::uint64_t start = AnyAddress() & ~std::uint64_t{3};
    const std::uint64_t instructions = 1 + random_.Below(30);
    auto& block = blocks.Add(start, std::vector<std::uint32_t>(instructions, kNop));
    const std::uint64_t shared = 1 + random_.Below(2);
    block.words = static_cast<std::uint16_t>(1 + shared);
    for (std::uint64_t i = random_.Below(5); i > 0; --i) {
      format::FlowAccess access;
      access.kind = random_.Below(3) == 0 ? TARE_FLOW_STORE : TARE_FLOW_LOAD;
      access.bytes = random_.Below(40) == 0 ? 200 : 1U << random_.Below(5);
      access.word = static_cast<std::uint16_t>(random_.Below(shared + 1));
      access.offset = access.word == 0 ? AnyAddress() : random_.Below(5) * 8;
      if (random_.Below(12) == 0) {
        access = {random_.Below(2) == 0 ? TARE_FLOW_GUARDED_LOAD : TARE_FLOW_GUARDED_STORE, 8,
                  block.words++, 0, 0};
      }
      block.accesses.push_back(access);
    }
  }

  Generator random_;
  std::array<std::uint64_t, 16> walks_{};
  std::vector<std::uint64_t> last_;
};

struct Fed {
  std::vector<EventCounts> events;
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;
};

// Feeds a model with a flow; with a filter the flow is as an engine would write it.
Fed Feed(const Processor& processor, const tare_flow_filter& filter, std::uint64_t seed) {
  Fed fed;
  AnyFlow flow(seed);
  auto core = model::Core::Make(processor);
  EXPECT_TRUE(core) << core.error().message;
  FlowTaker<model::Core> taker(std::move(*core), decode::Architecture::kAArch64, false);
  PlainFilter plain(filter);
  if (filter.entries != 0) taker.AcceptDropped();
  std::vector<std::uint64_t> words;
  for (int i = 0; i < 4000; ++i) {
    std::vector<std::uint64_t> record = flow.Record();
    if (filter.entries != 0) record = plain.Filter(flow.blocks.all[record[0] - 1], record);
    ++fed.records;
    fed.dropped += (record[0] & TARE_FLOW_UNCHANGED) != 0 ? 1U : 0U;
    words.insert(words.end(), record.begin(), record.end());
  }
  const auto taken = taker.Take(words, [&] { return taker.Learn(flow.blocks.all); }, {});
  EXPECT_TRUE(taken) << (taken ? "" : taken.error().message);
  fed.events = taker.Events();
  return fed;
}

Processor AnyFilterable(Generator& random) {
  Processor processor =
      random.Below(2) == 0 ? model::AnyPlainProcessor(random) : model::AnyProcessor(random);
  processor.prefetching.next_line = false;
  processor.prefetching.stride_entries = 0;
  for (auto* level : {&processor.l2, &processor.l3}) {
    if (*level && (*level)->inclusion == Inclusion::kInclusive) {
      (*level)->inclusion = Inclusion::kNine;
    }
  }
  if (processor.l1d.write == WritePolicy::kThrough) processor.l1d.write = WritePolicy::kBack;
  return processor;
}

TEST(ExactFilter, HasTheSetsOfTheCacheAndOfTheTlb) {
  const tare_flow_filter filter = ExactFilter(TwoLevels());
  EXPECT_EQ(filter.line_shift, 6U);
  EXPECT_EQ(filter.index_shift, 6U);
  EXPECT_EQ(filter.entries, 64U);
  EXPECT_EQ(filter.page_shift, 12U);
  EXPECT_EQ(filter.page_entries, 16U);
  EXPECT_EQ(filter.dirty, 1U);
  Processor without = TwoLevels();
  without.small_pages.data.reset();
  EXPECT_EQ(ExactFilter(without).page_entries, 0U);
  Processor large = TwoLevels();
  large.l1d = {.bytes = 1 << 20, .ways = 1};
  EXPECT_EQ(ExactFilter(large).entries, TARE_FLOW_MAX_LINES);
}

TEST(ExactFilter, IsAbsentWhereARepeatedAccessMatters) {
  const auto filtered = [](auto change) {
    Processor processor = TwoLevels();
    change(processor);
    return ExactFilter(processor).entries != 0;
  };
  EXPECT_TRUE(filtered([](Processor&) {}));
  EXPECT_TRUE(filtered([](Processor& p) { p.prefetching.instructions = true; }));
  EXPECT_TRUE(filtered([](Processor& p) { p.l2->inclusion = Inclusion::kExclusive; }));
  EXPECT_FALSE(filtered([](Processor& p) { p.prefetching.next_line = true; }));
  EXPECT_FALSE(filtered([](Processor& p) { p.prefetching.stride_entries = 16; }));
  EXPECT_FALSE(filtered([](Processor& p) { p.l2->inclusion = Inclusion::kInclusive; }));
  EXPECT_FALSE(filtered([](Processor& p) { p.l1d.write = WritePolicy::kThrough; }));
  EXPECT_TRUE(filtered([](Processor& p) { p.split = model::Split::kOnce; }));
  EXPECT_FALSE(filtered([](Processor& p) {
    p.split = model::Split::kOnce;
    p.l1i.line_bytes = 32;
  }));
}

TEST(ExactFilter, LeavesAllEventsAsTheyAre) {
  Generator random(7);
  Fed all;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Processor processor = AnyFilterable(random);
    if (!model::Validate(processor)) continue;
    const tare_flow_filter filter = ExactFilter(processor);
    ASSERT_NE(filter.entries, 0U);
    const Fed filtered = Feed(processor, filter, seed);
    ASSERT_EQ(filtered.events, Feed(processor, {}, seed).events) << "seed " << seed;
    all.records += filtered.records;
    all.dropped += filtered.dropped;
  }
  // Otherwise the test would show nothing.
  EXPECT_GT(all.records, 100U * 4000);
  EXPECT_GT(all.dropped, all.records / 10);
}

TEST(ExactFilter, FewerEntriesThanSetsLeaveAllEventsAsTheyAre) {
  Generator random(8);
  unsigned tried = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Processor processor = AnyFilterable(random);
    tare_flow_filter filter = ExactFilter(processor);
    if (!model::Validate(processor) || filter.entries < 4) continue;
    filter.entries /= 2;
    ++filter.index_shift;
    if (filter.page_entries > 1) filter.page_entries /= 2;
    ASSERT_EQ(Feed(processor, filter, seed).events, Feed(processor, {}, seed).events);
    ++tried;
  }
  EXPECT_GT(tried, 20U);
}

// Each of the conditions is needed: without it some flow has other events.
TEST(ExactFilter, WouldChangeTheEventsOfOtherProcessors) {
  const auto differs = [](auto change) {
    Processor processor = TwoLevels();
    processor.l1i = {.bytes = 512, .ways = 2};
    processor.l1d = {.bytes = 512, .ways = 2};
    processor.l2 = CacheLevel{.bytes = 2048, .ways = 2};
    processor.small_pages.data = model::TlbLevel{.entries = 2, .ways = 2};
    tare_flow_filter filter = ExactFilter(processor);
    EXPECT_EQ(Feed(processor, filter, 1).events, Feed(processor, {}, 1).events);
    change(processor, filter);
    for (std::uint64_t seed = 1; seed < 150; ++seed) {
      if (Feed(processor, filter, seed).events != Feed(processor, {}, seed).events) return true;
    }
    return false;
  };
  EXPECT_FALSE(differs([](Processor&, tare_flow_filter&) {}));
  EXPECT_TRUE(differs([](Processor& p, tare_flow_filter&) { p.prefetching.next_line = true; }));
  EXPECT_TRUE(differs([](Processor& p, tare_flow_filter&) { p.prefetching.stride_entries = 16; }));
  EXPECT_TRUE(
      differs([](Processor& p, tare_flow_filter&) { p.l2->inclusion = Inclusion::kInclusive; }));
  EXPECT_TRUE(
      differs([](Processor& p, tare_flow_filter&) { p.l1d.write = WritePolicy::kThrough; }));
  EXPECT_TRUE(differs([](Processor&, tare_flow_filter& filter) { filter.entries *= 2; }));
  EXPECT_TRUE(differs([](Processor&, tare_flow_filter& filter) { filter.page_entries = 0; }));
  EXPECT_TRUE(differs([](Processor&, tare_flow_filter& filter) { filter.page_entries = 2; }));
  EXPECT_TRUE(differs([](Processor&, tare_flow_filter& filter) { filter.dirty = 0; }));
}

}  // namespace
}  // namespace tare::vpmu
