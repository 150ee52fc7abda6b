// consumer_test.cc: tests reading the flows of synthetic processes while they are written.
#include "model/vpmu/consumer.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/private_directory.h"
#include "format/recording.h"
#include "model/vpmu/exact_filter.h"
#include "synthetic_flow.h"

namespace tare::vpmu {
namespace {

using model::Event;

// 16 lines of 64 bytes in each cache, and nothing else.
model::Processor Small() {
  model::Processor processor;
  processor.name = "small";
  processor.l1i = {.bytes = 1024, .ways = 2, .line_bytes = 64};
  processor.l1d = {.bytes = 1024, .ways = 2, .line_bytes = 64};
  return processor;
}

Blocks LoadAndBranch() {
  Blocks blocks;
  auto& block = blocks.Add(0x1000, {kLoad, kBranch});
  block.words = 2;
  block.accesses = {{TARE_FLOW_LOAD, 8, 1, 0, 0}};
  blocks.Add(0x1008, {kNop});
  return blocks;
}

class Consuming : public testing::Test {
 protected:
  Consuming() : directory_(PrivateDirectory::Make()) {
    EXPECT_TRUE(directory_);
    plan_.processor = Small();
    plan_.directory = directory_->path();
  }

  Result<std::vector<ProcessEvents>> ConsumeAll() {
    const std::atomic<bool> ended = true;
    return Consume(plan_, ended);
  }

  Result<PrivateDirectory> directory_;
  ConsumerPlan plan_;
};

TEST_F(Consuming, FeedsTheModelsAndWritesHowOftenBlocksRan) {
  SyntheticProcess process(plan_.directory, 7);
  process.Begin();
  process.Describe(LoadAndBranch());
  process.HandOver({1, 0x5000, 1, 0x5008, 2});
  process.HandOver({1, 0x5040, 2});
  process.End();
  const auto events = ConsumeAll();
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 1U);
  EXPECT_EQ(events->front().process, 7U);
  EXPECT_FALSE(events->front().cut_short);
  EXPECT_EQ(events->front().blocks.at(0)[Event::kL1iMisses], 1U);
  EXPECT_EQ(events->front().blocks.at(0)[Event::kL1dLoadMisses], 2U);
  const auto recordings = format::ReadRecordings(plan_.directory);
  ASSERT_TRUE(recordings) << recordings.error().message;
  ASSERT_EQ(recordings->size(), 1U);
  ASSERT_EQ(recordings->front().blocks.size(), 2U);
  EXPECT_EQ(recordings->front().blocks[0].executions, 3U);
  EXPECT_EQ(recordings->front().blocks[0].second, 2U);
  EXPECT_EQ(recordings->front().blocks[1].executions, 2U);
  EXPECT_EQ(recordings->front().blocks[1].number, 1U);
}

TEST_F(Consuming, AFilteredFlowMustHaveTheProcessorsFilter) {
  SyntheticProcess process(plan_.directory, 7);
  process.Begin();
  process.header().filter = ExactFilter(plan_.processor);
  process.Describe(LoadAndBranch());
  process.HandOver({1, 0x5000, 1 | TARE_FLOW_UNCHANGED, 2});
  process.End();
  const auto events = ConsumeAll();
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(events->front().blocks.at(0)[Event::kL1dLoadMisses], 1U);
  process.header().filter.entries *= 2;
  process.header().taken = 0;
  const auto other = ConsumeAll();
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kFormat);
}

TEST_F(Consuming, DroppedAccessesWithoutAFilterAreDamage) {
  SyntheticProcess process(plan_.directory, 7);
  process.Begin();
  process.Describe(LoadAndBranch());
  process.HandOver({1 | TARE_FLOW_UNCHANGED});
  process.End();
  const auto events = ConsumeAll();
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().kind, ErrorKind::kFormat);
}

TEST_F(Consuming, ProcessesHaveCoresOfTheirOwn) {
  for (const std::uint64_t number : {std::uint64_t{3}, std::uint64_t{5}}) {
    SyntheticProcess process(plan_.directory, number);
    process.Begin();
    process.Describe(LoadAndBranch());
    process.HandOver({1, 0x5000, 2, 1, 0x5000});
    process.End();
  }
  const auto events = ConsumeAll();
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 2U);
  for (const ProcessEvents& process : *events) {
    EXPECT_EQ(process.blocks.at(0)[Event::kL1dLoadMisses], 1U) << process.process;
  }
}

TEST_F(Consuming, LosesNothingOfAProgramThatRunsMeanwhile) {
  constexpr std::uint64_t kHandedOver = 300;
  std::atomic<bool> ended = false;
  std::thread program([&] {
    SyntheticProcess process(plan_.directory, 9);
    std::this_thread::yield();
    process.Begin();
    process.Describe(LoadAndBranch());
    for (std::uint64_t i = 0; i < kHandedOver; ++i) {
      while (!process.HasRoom()) std::this_thread::yield();
      process.HandOver({1, 0x5000 + 64 * i, 2});
    }
    process.End();
    ended = true;
  });
  const auto events = Consume(plan_, ended);
  program.join();
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 1U);
  EXPECT_EQ(events->front().blocks.at(0)[Event::kL1dLoadMisses], kHandedOver);
}

TEST_F(Consuming, SamplesAreOfTheFirstProcess) {
  for (const std::uint64_t number : {std::uint64_t{3}, std::uint64_t{5}}) {
    SyntheticProcess process(plan_.directory, number);
    process.Begin();
    process.Describe(LoadAndBranch());
    process.HandOver({1, 0x5000, 2, TARE_FLOW_MARK | TARE_FLOW_SAMPLE, 3});
    process.End();
  }
  std::vector<SampledTotals> samples;
  plan_.on_sample = [&](const SampledTotals& totals) { samples.push_back(totals); };
  ASSERT_TRUE(ConsumeAll());
  // At the mark, and at the end.
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].process, 3U);
  EXPECT_FALSE(samples[0].last);
  EXPECT_TRUE(samples[1].last);
  EXPECT_EQ(samples[1].instructions, 3U);
  EXPECT_EQ(samples[0].instructions, 3U);
  EXPECT_EQ(samples[0].loads, 1U);
  EXPECT_EQ(samples[0].events[Event::kL1dLoadMisses], 1U);
}

TEST_F(Consuming, TakesADamagedFlowToItsEndAndSaysSo) {
  SyntheticProcess process(plan_.directory, 7);
  process.Begin();
  process.Describe(LoadAndBranch());
  process.HandOver({9, 9});
  process.HandOver({2});
  process.End();
  const auto events = ConsumeAll();
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().kind, ErrorKind::kFormat);
  EXPECT_EQ(process.header().taken, 2U);
}

TEST_F(Consuming, AFlowWithoutItsEndIsCutShort) {
  SyntheticProcess process(plan_.directory, 7);
  process.Begin();
  process.Describe(LoadAndBranch());
  process.HandOver({2});
  process.header().cut_short = 1;
  const auto events = ConsumeAll();
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 1U);
  EXPECT_TRUE(events->front().cut_short);
}

TEST_F(Consuming, AFlowThatWasNeverBegunIsNone) {
  const SyntheticProcess process(plan_.directory, 7);
  const auto events = ConsumeAll();
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_TRUE(events->empty());
}

TEST_F(Consuming, AnotherVersionIsRefused) {
  SyntheticProcess process(plan_.directory, 7);
  process.Begin();
  process.header().version = TARE_FLOW_VERSION + 1;
  process.End();
  const auto events = ConsumeAll();
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().kind, ErrorKind::kFormat);
}

TEST_F(Consuming, AProcessorThatCannotBeBuiltIsRefused) {
  plan_.processor.l1d.ways = 0;
  const auto events = ConsumeAll();
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace tare::vpmu
