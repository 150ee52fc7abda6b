// flow_taker_test.cc: tests which events the models receive for the records of a flow.
#include "model/vpmu/flow_taker.h"

#include <gtest/gtest.h>

#include <array>

#include "recording_model.h"
#include "stats/random.h"

namespace tare::vpmu {
namespace {

using decode::Architecture;
using format::FlowAccess;
using model::Event;

constexpr std::uint64_t kInside = TARE_FLOW_INSIDE;
constexpr std::uint64_t kUnchanged = TARE_FLOW_UNCHANGED;
constexpr std::uint64_t kThread = TARE_FLOW_MARK | TARE_FLOW_THREAD;
constexpr std::uint64_t kSignal = TARE_FLOW_MARK | TARE_FLOW_SIGNAL;
constexpr std::uint64_t kSample = TARE_FLOW_MARK | TARE_FLOW_SAMPLE;
constexpr std::uint64_t kBurst = TARE_FLOW_MARK | TARE_FLOW_BURST;

class Taking {
 public:
  explicit Taking(const Blocks& blocks, bool of_region = false,
                  Architecture architecture = Architecture::kAArch64)
      : blocks_(blocks), taker_(RecordingModel(calls), architecture, of_region) {}

  Result<void> Take(const std::vector<std::uint64_t>& words) {
    return taker_.Take(
        words, [this] { return taker_.Learn(blocks_.all); },
        [this](const SampledTotals& totals) { samples.push_back(totals); });
  }

  FlowTaker<RecordingModel>& taker() { return taker_; }
  tare_wire_counters Count(std::size_t block) { return taker_.Counts().at(block); }

  ModelCalls calls;
  std::vector<SampledTotals> samples;

 private:
  const Blocks& blocks_;
  FlowTaker<RecordingModel> taker_;
};

TEST(FlowTaker, FeedsAnInstructionsLineBeforeItsAccesses) {
  Blocks blocks;
  // 0x1038 and 0x103c in one line, 0x1040 and 0x1044 in the next.
  auto& block = blocks.Add(0x1038, {kLoad, kStore, kLoad, kNop});
  block.words = 3;
  block.accesses = {
      {TARE_FLOW_LOAD, 8, 1, 0, 0}, {TARE_FLOW_STORE, 8, 1, 16, 4}, {TARE_FLOW_LOAD, 4, 2, 0, 8}};
  Taking taking(blocks);
  ASSERT_TRUE(taking.Take({1, 0x5000, 0x6000}));
  EXPECT_EQ(taking.calls,
            (ModelCalls{"fetch 0x1038+4", "load 0x5000+8 at 0x1038", "store 0x5010+8 at 0x103c",
                        "fetch 0x1040+4", "load 0x6000+4 at 0x1040"}));
}

TEST(FlowTaker, DoesNotFeedTheLineThatWasFetchedLast) {
  Blocks blocks;
  blocks.Add(0x1000, {kNop, kNop});
  blocks.Add(0x1008, {kNop});
  blocks.Add(0x2000, {kNop});
  Taking taking(blocks);
  ASSERT_TRUE(taking.Take({1, 2, 1, 3, 3, 1}));
  EXPECT_EQ(taking.calls, (ModelCalls{"fetch 0x1000+4", "fetch 0x2000+4", "fetch 0x1000+4"}));
}

TEST(FlowTaker, FeedsAnInstructionInTwoLinesAtOnce) {
  Blocks blocks;
  // add $1, %rax from 0x103e on: 48 83 c0 01; then nop.
  const auto byte = [](unsigned value) { return static_cast<std::byte>(value); };
  blocks.AddBytes(0x103e, {byte(0x48), byte(0x83), byte(0xc0), byte(0x01), byte(0x90)}, 2);
  blocks.AddBytes(0x103d, {byte(0x90), byte(0x48), byte(0x83), byte(0xc0), byte(0x01)}, 2);
  Taking taking(blocks, false, Architecture::kX86_64);
  ASSERT_TRUE(taking.Take({1, 2, 1}));
  EXPECT_EQ(taking.calls,
            (ModelCalls{"fetch 0x103e+4", "fetch 0x103d+1", "fetch 0x103e+4", "fetch 0x103e+4"}));
}

TEST(FlowTaker, ConstantAddressesNeedNoWordAndSkippedAccessesAreNotFed) {
  Blocks blocks;
  auto& block = blocks.Add(0x1000, {kLoad, kLoad, kStore});
  block.words = 3;
  block.accesses = {{TARE_FLOW_LOAD, 8, 0, 0x7000, 0},
                    {TARE_FLOW_GUARDED_LOAD, 8, 1, 0, 4},
                    {TARE_FLOW_GUARDED_STORE, 8, 2, 0, 8}};
  Taking taking(blocks);
  ASSERT_TRUE(taking.Take({1, 0, 0x8000, 1, 0x9000, 0}));
  EXPECT_EQ(taking.calls,
            (ModelCalls{"fetch 0x1000+4", "load 0x7000+8 at 0x1000", "store 0x8000+8 at 0x1008",
                        "load 0x7000+8 at 0x1000", "load 0x9000+8 at 0x1004"}));
}

// Accesses to one line are looked up together; the events must be the same as for each alone.
TEST(FlowTaker, AdjacentAccessesCountAsIfFedOneByOne) {
  Blocks blocks;
  auto& block = blocks.Add(0x1000, {kLoad, kStore, kLoad, kLoad, kStore, kLoad, kLoad});
  block.words = 3;
  block.accesses = {{TARE_FLOW_LOAD, 8, 1, 8, 0},
                    {TARE_FLOW_STORE, 8, 1, 0, 4},
                    {TARE_FLOW_LOAD, 4, 1, 60, 8},
                    {TARE_FLOW_LOAD, 4, 1, 64, 12},
                    {TARE_FLOW_STORE, 200, 1, 0, 16},
                    {TARE_FLOW_LOAD, 8, 2, 0, 20},
                    {TARE_FLOW_LOAD, 8, 2, ~std::uint64_t{0} - 15, 24}};
  model::Processor processor;
  processor.name = "small";
  processor.l1i = {.bytes = 1024, .ways = 2};
  processor.l1d = {.bytes = 1024, .ways = 2};
  processor.l2 = model::CacheLevel{.bytes = 8192, .ways = 4};
  processor.small_pages.data = model::TlbLevel{.entries = 4, .ways = 2};
  auto core = model::Core::Make(processor);
  auto other = model::Core::Make(processor);
  ASSERT_TRUE(core && other);
  FlowTaker<model::Core> taker(std::move(*core), Architecture::kAArch64, false);
  ASSERT_TRUE(taker.Learn(blocks.all));
  std::vector<std::uint64_t> words;
  model::EventCounts expected;
  other->Fetch(0x1000, 4, expected);
  stats::Generator random(4);
  for (int i = 0; i < 5000; ++i) {
    const std::array<std::uint64_t, 3> record = {1, 0x100000 + random.Below(40) * 1000,
                                                 0x200000 + random.Below(3000)};
    words.insert(words.end(), record.begin(), record.end());
    for (const format::FlowAccess& access : block.accesses) {
      other->Access({record[access.word] + access.offset, access.bytes,
                     access.kind == TARE_FLOW_STORE, 0x1000 + access.code_offset},
                    expected);
    }
  }
  ASSERT_TRUE(taker.Take(words, [] { return Result<void>(); }, {}));
  EXPECT_EQ(taker.Events()[0], expected);
  EXPECT_GT(expected[Event::kL1dWriteBacks], 100U);
  EXPECT_GT(expected[Event::kDtlbLoadMisses], 100U);
}

TEST(FlowTaker, TheNextRecordShowsTheDirectionOfABranch) {
  Blocks blocks;
  blocks.Add(0x1000, {kNop, kBranch});
  blocks.Add(0x1008, {kNop});
  blocks.Add(0x1020, {kNop});
  Taking taking(blocks);
  ASSERT_TRUE(taking.Take({1, 2, 1, 3, 1, 1, 1}));
  // The outcome of the last one is unknown.
  EXPECT_EQ(taking.calls,
            (ModelCalls{"fetch 0x1000+4", "branch 0x1004 not taken", "branch 0x1004 taken",
                        "branch 0x1004 taken", "branch 0x1004 taken"}));
  EXPECT_EQ(taking.Count(0).executions, 5U);
  EXPECT_EQ(taking.Count(0).second, 1U);
  EXPECT_EQ(taking.taker().Events()[0][Event::kConditionalMispredictions], 4U);
  ASSERT_TRUE(taking.Take({2}));
  EXPECT_EQ(taking.Count(0).second, 2U);
}

TEST(FlowTaker, FeedsCallsReturnsAndIndirectJumps) {
  Blocks blocks;
  blocks.Add(0x1000, {kCall});
  blocks.Add(0x1010, {kNop, kIndirectCall});
  blocks.Add(0x1020, {kReturn});
  blocks.Add(0x1030, {kIndirectJump});
  Taking taking(blocks);
  ASSERT_TRUE(taking.Take({1, 2, 3, 4, 1}));
  EXPECT_EQ(taking.calls,
            (ModelCalls{"fetch 0x1000+4", "call, back to 0x1004", "jump 0x1014 to 0x1020",
                        "call, back to 0x1018", "return to 0x1030", "jump 0x1030 to 0x1000"}));
}

TEST(FlowTaker, ThreadsHaveTheirOwnBranches) {
  Blocks blocks;
  blocks.Add(0x1000, {kBranch});
  blocks.Add(0x1004, {kNop});
  blocks.Add(0x1020, {kNop});
  Taking taking(blocks);
  ASSERT_TRUE(taking.Take({kThread, 1, 1, kThread, 2, 1, kThread, 1, 2, kThread, 2, 3}));
  EXPECT_EQ(taking.calls,
            (ModelCalls{"fetch 0x1000+4", "branch 0x1000 not taken", "branch 0x1000 taken"}));
  EXPECT_EQ(taking.Count(0).executions, 2U);
  EXPECT_EQ(taking.Count(0).second, 1U);
}

TEST(FlowTaker, ASignalShowsTheDirectionOfTheBranchBeforeIt) {
  Blocks blocks;
  blocks.Add(0x1000, {kNop, kLoad, kBranch});  // branches to itself, at 0x1008
  blocks.Add(0x1020, {kNop});
  Taking taking(blocks);
  ASSERT_TRUE(taking.Take({1, kSignal, 0x100c, 2, 2}));
  EXPECT_EQ(taking.calls, (ModelCalls{"fetch 0x1000+4", "branch 0x1008 not taken"}));
  EXPECT_EQ(taking.Count(0).second, 1U);
  // A fault inside the following block, which has no record.
  ASSERT_TRUE(taking.Take({1, kSignal, 0x1014, 2}));
  EXPECT_EQ(taking.calls.back(), "branch 0x1008 not taken");
  ASSERT_TRUE(taking.Take({1, kSignal, 0x1008, 2}));
  EXPECT_EQ(taking.calls.back(), "branch 0x1008 taken");
  EXPECT_EQ(taking.Count(0).second, 2U);
}

// rep movsb: the arrival, then an operation and a jump back for each byte, and the test that ends
// it.
TEST(FlowTaker, ARepeatedInstructionRanOnceAndItsOperationOften) {
  Blocks blocks;
  const std::vector<std::byte> code = {std::byte{0xf3}, std::byte{0xa4}};
  blocks.AddBytes(0x1000, code, 1).flags = TARE_WIRE_REPEATED;
  auto& operation = blocks.AddBytes(0x1000, code, 1);
  operation.flags = TARE_WIRE_REPEATED;
  operation.block = 0;
  operation.operation = true;
  operation.words = 3;
  operation.accesses = {{TARE_FLOW_LOAD, 1, 1, 0, 0}, {TARE_FLOW_STORE, 1, 2, 0, 0}};
  blocks.AddBytes(0x1002, {std::byte{0x90}}, 1).block = 1;
  Taking taking(blocks, false, Architecture::kX86_64);
  taking.taker().EnableTotals();
  ASSERT_TRUE(taking.Take({1, 2, 0x50, 0x60, 1, 2, 0x51, 0x61, 1, 3, 1, 3}));
  EXPECT_EQ(taking.Count(0).executions, 2U);
  EXPECT_EQ(taking.Count(0).second, 2U);
  // A signal between two iterations: the second arrival is not a second execution.
  ASSERT_TRUE(taking.Take({1, 2, 0x50, 0x60, kSignal, 0x1000, 3, 1, 3}));
  EXPECT_EQ(taking.Count(0).executions, 3U);
  EXPECT_EQ(taking.Count(0).second, 3U);
  ASSERT_TRUE(taking.Take({kSample, 100}));
  ASSERT_EQ(taking.samples.size(), 1U);
  EXPECT_EQ(taking.samples[0].instructions, 3U + 4);
  EXPECT_EQ(taking.samples[0].loads, 3U);
  EXPECT_EQ(taking.samples[0].stores, 3U);
}

TEST(FlowTaker, InARegionsRunCountsInsideAndFeedsEverything) {
  Blocks blocks;
  blocks.Add(0x1000, {kBranch});
  blocks.Add(0x1004, {kNop});
  Taking taking(blocks, true);
  ASSERT_TRUE(taking.Take({1, 2, 1 | kInside, 2 | kInside, 1 | kInside, 2}));
  EXPECT_EQ(taking.calls, (ModelCalls{"fetch 0x1000+4", "branch 0x1000 not taken",
                                      "branch 0x1000 not taken", "branch 0x1000 not taken"}));
  EXPECT_EQ(taking.Count(0).executions, 2U);
  EXPECT_EQ(taking.Count(0).second, 2U);
  EXPECT_EQ(taking.Count(1).executions, 1U);
  EXPECT_EQ(taking.taker().Events()[0][Event::kConditionalMispredictions], 2U);
  EXPECT_EQ(taking.taker().Events()[0][Event::kL1iMisses], 0U);
}

TEST(FlowTaker, SamplesHoldAllThatRanBeforeThem) {
  Blocks blocks;
  auto& block = blocks.Add(0x1000, {kLoad, kStore, kBranch});
  block.words = 2;
  block.accesses = {{TARE_FLOW_LOAD, 8, 1, 0, 0}, {TARE_FLOW_STORE, 8, 1, 8, 4}};
  blocks.Add(0x100c, {kNop, kNop});
  Taking taking(blocks);
  taking.taker().EnableTotals();
  ASSERT_TRUE(taking.Take({1, 0x50, 2, 1, 0x50, kSample, 8, 2, 2, kSample, 12}));
  ASSERT_EQ(taking.samples.size(), 2U);
  EXPECT_EQ(taking.samples[0].instructions, 8U);
  EXPECT_EQ(taking.samples[0].loads, 2U);
  EXPECT_EQ(taking.samples[0].stores, 2U);
  EXPECT_EQ(taking.samples[0].branches, 2U);
  EXPECT_EQ(taking.samples[0].events[Event::kConditionalMispredictions], 1U);
  EXPECT_EQ(taking.samples[1].instructions, 12U);
  EXPECT_EQ(taking.samples[1].branches, 2U);
  // The outcome of the branch before the first sample is known only after it.
  EXPECT_EQ(taking.samples[1].events[Event::kConditionalMispredictions], 2U);
  EXPECT_EQ(taking.samples[1].events[Event::kL1dStoreMisses], 2U);
}

// The second and third record are a word each.
TEST(FlowTaker, ARecordWithoutItsAccessesStillRanAndFetchedItsLines) {
  Blocks blocks;
  auto& block = blocks.Add(0x1038, {kLoad, kNop, kStore, kBranch});
  block.words = 3;
  block.accesses = {{TARE_FLOW_LOAD, 8, 1, 0, 0}, {TARE_FLOW_STORE, 8, 2, 0, 8}};
  auto& other = blocks.Add(0x1048, {kLoad});
  other.words = 2;
  other.accesses = {{TARE_FLOW_LOAD, 8, 1, 0, 0}};
  Taking taking(blocks);
  taking.taker().AcceptDropped();
  ASSERT_TRUE(taking.Take({1, 0x5000, 0x6000, 1 | kUnchanged, 2 | kUnchanged, 2, 0x7000}));
  EXPECT_EQ(taking.calls,
            (ModelCalls{"fetch 0x1038+4", "load 0x5000+8 at 0x1038", "fetch 0x1040+4",
                        "store 0x6000+8 at 0x1040", "branch 0x1044 taken", "fetch 0x1038+4",
                        "fetch 0x1040+4", "branch 0x1044 not taken", "load 0x7000+8 at 0x1048"}));
  EXPECT_EQ(taking.Count(0).executions, 2U);
  EXPECT_EQ(taking.Count(0).second, 1U);
  EXPECT_EQ(taking.Count(1).executions, 2U);
}

TEST(FlowTaker, InARegionsRunRecordsWithoutAccessesAreInsideOrNot) {
  Blocks blocks;
  auto& block = blocks.Add(0x1000, {kLoad});
  block.words = 2;
  block.accesses = {{TARE_FLOW_LOAD, 8, 1, 0, 0}};
  Taking taking(blocks, true);
  taking.taker().AcceptDropped();
  ASSERT_TRUE(taking.Take({1, 0x50, 1 | kUnchanged, 1 | kUnchanged | kInside, 1 | kInside, 0x50}));
  EXPECT_EQ(taking.Count(0).executions, 2U);
}

TEST(FlowTaker, BurstsAreMarked) {
  Blocks blocks;
  blocks.Add(0x1000, {kNop});
  Taking taking(blocks);
  EXPECT_TRUE(taking.Take({1, kBurst, 1, 1, kBurst, 0, 1}));
  EXPECT_EQ(taking.Count(0).executions, 3U);
  EXPECT_FALSE(taking.Take({kBurst, 2}));
}

TEST(FlowTaker, RefusesWhatNoDescriptionFits) {
  Blocks blocks;
  blocks.Add(0x1000, {kLoad}).words = 2;
  for (const std::vector<std::uint64_t>& words : std::vector<std::vector<std::uint64_t>>{
           {0},                              // no number
           {2},                              // not described
           {1},                              // truncated
           {1, 5, 1},                        // the second is cut off
           {1 | kInside, 5},                 // there is no region
           {1 | kUnchanged},                 // there is no filter
           {1 | std::uint64_t{1} << 40, 5},  // bits without a meaning
           {TARE_FLOW_MARK | 9, 5},          // an undefined mark
           {kThread},                        // truncated
           {UINT64_MAX, UINT64_MAX}}) {
    Taking taking(blocks);
    const auto taken = taking.Take(words);
    ASSERT_FALSE(taken) << words[0];
    EXPECT_EQ(taken.error().kind, ErrorKind::kFormat);
  }
}

TEST(FlowTaker, RefusesDescriptionsThatCannotBe) {
  const auto refused = [](const std::function<void(format::FlowBlock&)>& damage) {
    Blocks blocks;
    auto& block = blocks.Add(0x1000, {kLoad});
    block.words = 2;
    block.accesses = {FlowAccess{TARE_FLOW_LOAD, 8, 1, 0, 0}};
    damage(block);
    Taking taking(blocks);
    const auto taken = taking.Take({1, 0x50});
    return !taken && taken.error().kind == ErrorKind::kFormat;
  };
  EXPECT_FALSE(refused([](format::FlowBlock&) {}));
  EXPECT_TRUE(refused([](format::FlowBlock& block) { block.words = 0; }));
  EXPECT_TRUE(refused([](format::FlowBlock& block) { block.accesses[0].word = 2; }));
  EXPECT_TRUE(refused([](format::FlowBlock& block) { block.accesses[0].bytes = 0; }));
  EXPECT_TRUE(refused([](format::FlowBlock& block) { block.accesses[0].bytes = 1 << 20; }));
  EXPECT_TRUE(refused([](format::FlowBlock& block) { block.code_bytes = 0; }));
  EXPECT_TRUE(refused([](format::FlowBlock& block) { block.code_bytes = 400; }));
  EXPECT_TRUE(refused([](format::FlowBlock& block) { block.block = UINT64_MAX; }));
}

TEST(FlowTaker, CodeThatCannotBeDecodedIsStillFetched) {
  Blocks blocks;
  blocks.Add(0x1030, std::vector<std::uint32_t>{~0U, ~0U, ~0U, ~0U, ~0U, kBranch});
  Taking taking(blocks);
  ASSERT_TRUE(taking.Take({1, 1}));
  EXPECT_EQ(taking.calls, (ModelCalls{"fetch 0x1030+16", "fetch 0x1040+8", "branch 0x1030 taken",
                                      "fetch 0x1030+16", "fetch 0x1040+8"}));
}

// Between the windows of a sparse flow there are lines in place of records.
TEST(FlowTaker, PassesOnTheLinesOfASparseFlow) {
  Blocks blocks;
  auto& block = blocks.Add(0x1000, {kLoad, kBranch});
  block.words = 2;
  block.accesses = {{TARE_FLOW_LOAD, 8, 1, 0, 0}};
  blocks.Add(0x2000, {kNop});
  const auto lines = [](std::uint64_t number, std::uint64_t count) {
    return number | TARE_FLOW_LINES | count << TARE_FLOW_LINES_SHIFT;
  };
  {
    Taking taking(blocks);
    EXPECT_FALSE(taking.Take({lines(1, 1), 0x5000})) << "the flow is not sparse";
  }
  for (const std::vector<std::uint64_t>& damaged : {std::vector<std::uint64_t>{lines(1, 0)},
                                                    {lines(1, 2), 0x5000},
                                                    {lines(3, 1), 0x5000},
                                                    {lines(0, 1), 0x5000},
                                                    {lines(1, 1) | TARE_FLOW_UNCHANGED, 0x5000}}) {
    Taking taking(blocks);
    taking.taker().AcceptLines();
    EXPECT_FALSE(taking.Take(damaged));
  }
  Taking taking(blocks);
  taking.taker().AcceptLines();
  // Which way the branch of the first window went is not known.
  ASSERT_TRUE(taking.Take({kBurst, 1, 1, 0x6000, kBurst, 0, lines(2, 2), 0x5001, 0x5042,
                           lines(1, 1), 0x7000, kBurst, 1, 2}));
  EXPECT_EQ(taking.calls, (ModelCalls{"fetch 0x1000+4", "load 0x6000+8 at 0x1000", "line 0x5001",
                                      "line 0x5042", "line 0x7000", "fetch 0x2000+4"}));
}

}  // namespace
}  // namespace tare::vpmu
