// flow_reader_test.cc: tests reading of hand-written flows, complete and damaged.
#include "format/flow_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "format/recording.h"
#include "synthetic_flow.h"
#include "tests/programs/build_directory.h"

namespace tare::format {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kSecond = 1'000'000'000;

class Flows : public testing::Test {
 protected:
  Result<FlowReader> Open(const std::string& name = "40.0") {
    return FlowReader::Open(directory_.path(), name);
  }

  BuildDirectory directory_;
  SyntheticFlow made_{directory_.path(), SyntheticFlow::Plan(40)};
};

TEST_F(Flows, StateTheirProcess) {
  const auto reader = Open();
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->process(), 40u);
  EXPECT_EQ(reader->generation(), 0u);
  EXPECT_EQ(reader->parent_process(), 0u);
  EXPECT_EQ(reader->architecture(), static_cast<std::uint32_t>(TARE_WIRE_AARCH64));
  EXPECT_EQ(made_.header().reader, static_cast<std::uint32_t>(getpid()));
}

TEST_F(Flows, ChunksComeInOrderAndAreReleased) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->Next().empty());
  made_.HandOver({1, 2, 3});
  made_.HandOver({4});
  ASSERT_TRUE(reader->Wait(0));
  EXPECT_THAT(reader->Next(), ElementsAre(1, 2, 3));
  reader->ReleaseChunk();
  EXPECT_EQ(made_.header().taken, 1u);
  EXPECT_THAT(reader->Next(), ElementsAre(4));
  reader->ReleaseChunk();
  EXPECT_TRUE(reader->Next().empty());
}

TEST_F(Flows, GoRoundTheirRing) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  for (std::uint64_t i = 1; i <= 3 * kSyntheticChunks; ++i) {
    made_.HandOver({i, 2 * i});
    EXPECT_THAT(reader->Next(), ElementsAre(i, 2 * i));
    reader->ReleaseChunk();
  }
}

TEST_F(Flows, CountersOfChunksWrapRound) {
  made_.header().written = made_.header().taken = 0xfffffffe;
  auto reader = Open();
  ASSERT_TRUE(reader);
  for (std::uint64_t i = 1; i <= 4; ++i) {
    made_.HandOver({i});
    EXPECT_THAT(reader->Next(), ElementsAre(i));
    reader->ReleaseChunk();
  }
}

TEST_F(Flows, WaitEndsWhenTimeIsOver) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->Wait(1));
  EXPECT_FALSE(reader->Ended());
}

TEST_F(Flows, WaitingReturnsWhenDataArrive) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  std::thread engine([this] {
    while (__atomic_load_n(&made_.header().reader_waits, __ATOMIC_SEQ_CST) == 0) {
      std::this_thread::yield();
    }
    made_.HandOver({9});
  });
  EXPECT_TRUE(reader->Wait(60 * kSecond));
  engine.join();
  EXPECT_THAT(reader->Next(), ElementsAre(9));
}

TEST_F(Flows, PartsOfAChunkAreReadOnce) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->NextPart().empty());
  made_.Fill({1, 2});
  EXPECT_FALSE(reader->Wait(0));
  EXPECT_THAT(reader->NextPart(), ElementsAre(1, 2));
  EXPECT_TRUE(reader->NextPart().empty());
  made_.Fill({3});
  EXPECT_THAT(reader->NextPart(), ElementsAre(3));
  made_.Fill({4, 5});
  made_.HandOverFilled();
  made_.Fill({6});
  EXPECT_TRUE(reader->NextPart().empty());  // the whole chunk comes first
  ASSERT_TRUE(reader->Wait(0));
  EXPECT_THAT(reader->Next(), ElementsAre(4, 5));
  reader->ReleaseChunk();
  EXPECT_FALSE(reader->Wait(0));
  EXPECT_THAT(reader->NextPart(), ElementsAre(6));
  made_.HandOverFilled();
  EXPECT_FALSE(reader->Wait(0));  // all of it was read
  EXPECT_EQ(made_.header().taken, 2u);
}

TEST_F(Flows, PartsEndAtTheEndOfTheirChunk) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  made_.header().filled = 0xffffffff;
  EXPECT_EQ(reader->NextPart().size(), 2 * TARE_FLOW_CHUNK / 8);
}

TEST_F(Flows, WhatThreadsHadNotPutIntoAChunkIsLeft) {
  // In place of the last chunk.
  const std::uint64_t at = 2 * TARE_FLOW_CHUNK * kSyntheticChunks;
  made_.header().buffers_at = at;
  auto* const buffers =
      reinterpret_cast<tare_flow_buffer*>(reinterpret_cast<std::uint8_t*>(&made_.header()) + at);
  buffers[0] = {.thread = 1, .used = 0, .words = {7}};
  buffers[1] = {.thread = 5, .used = 2, .words = {8, 9}};
  buffers[2] = {.thread = 6, .used = UINT64_MAX, .words = {}};
  made_.header().buffers = UINT64_MAX;  // more than fit
  auto reader = Open();
  ASSERT_TRUE(reader);
  EXPECT_THAT(reader->NextLeft(), ElementsAre(TARE_FLOW_MARK | TARE_FLOW_THREAD, 5, 8, 9));
  EXPECT_EQ(reader->NextLeft().size(), 2 + TARE_FLOW_BUFFER_WORDS);
  EXPECT_TRUE(reader->NextLeft().empty());
}

TEST_F(Flows, CountsOfAllBanksAreSummed) {
  tare_wire_header plan = SyntheticFlow::Plan(41);
  plan.engine = TARE_WIRE_QEMU;
  plan.banks = plan.banks_used = 3;
  SyntheticFlow made(directory_.path(), plan);
  made.AddBlock(0x1000, 4);
  for (std::uint64_t bank = 0; bank < 3; ++bank)
    *tare_wire_bank(&made.writer(), bank) = {bank + 1, 10};
  const auto reader = Open("41.0");
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->HasEngineCounts());
  const auto counts = reader->EngineCounts(1);
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->front().executions, 6u);
  EXPECT_EQ(counts->front().second, 30u);
  EXPECT_FALSE(Open()->HasEngineCounts());
}

TEST_F(Flows, EndWhenTheEngineSaysSoAndWhatIsThereIsStillRead) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  made_.HandOver({5});
  made_.header().ended = 1;
  EXPECT_TRUE(reader->Ended());
  EXPECT_TRUE(reader->Wait(0));
  EXPECT_THAT(reader->Next(), ElementsAre(5));
  reader->ReleaseChunk();
  EXPECT_FALSE(reader->Wait(60 * kSecond));
}

TEST_F(Flows, EndWhenTheEngineHasExited) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->Ended());
  made_.Die();
  EXPECT_TRUE(reader->Ended());
  EXPECT_FALSE(reader->Wait(60 * kSecond));
}

TEST_F(Flows, HaveOneReaderAtATime) {
  auto first = Open();
  ASSERT_TRUE(first);
  EXPECT_FALSE(Open());
  first = Fail(ErrorKind::kIo, "closed");
  EXPECT_TRUE(Open());
}

TEST_F(Flows, DescriptionsComeWhileTheProgramRuns) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  ASSERT_TRUE(reader->Refresh());
  EXPECT_TRUE(reader->Blocks().empty());
  const auto block = made_.AddBlock(0x1000, 12, TARE_WIRE_CONDITIONAL);
  const tare_wire_access load{16, 4, 8, 1, TARE_FLOW_LOAD, 0};
  const tare_wire_access store{0x7000, 8, 0, 0, TARE_FLOW_STORE, 0};
  EXPECT_EQ(made_.Describe(block, 2, {load, store}), 1u);
  ASSERT_TRUE(reader->Refresh());
  ASSERT_EQ(reader->Blocks().size(), 1u);
  const FlowBlock& described = reader->Blocks()[0];
  EXPECT_EQ(described.block, block);
  EXPECT_EQ(described.address, 0x1000u);
  EXPECT_EQ(described.code.size(), 12u);
  EXPECT_EQ(described.flags, static_cast<std::uint32_t>(TARE_WIRE_CONDITIONAL));
  EXPECT_EQ(described.words, 2u);
  ASSERT_EQ(described.accesses.size(), 2u);
  EXPECT_EQ(described.accesses[0].offset, 16u);
  EXPECT_EQ(described.accesses[0].bytes, 4u);
  EXPECT_EQ(described.accesses[0].code_offset, 8u);
  EXPECT_EQ(described.accesses[1].kind, TARE_FLOW_STORE);
  EXPECT_EQ(described.accesses[1].word, 0u);
  const auto repeated = made_.AddBlock(0x2000, 2, TARE_WIRE_REPEATED);
  EXPECT_EQ(made_.Describe(repeated, 1, {}), 2u);
  EXPECT_EQ(made_.Describe(repeated, 2, {{0, 1, 0, 1, TARE_FLOW_STORE, 0}}, 1), 3u);
  ASSERT_TRUE(reader->Refresh());
  ASSERT_EQ(reader->Blocks().size(), 3u);
  EXPECT_FALSE(reader->Blocks()[1].operation);
  EXPECT_TRUE(reader->Blocks()[2].operation);
  EXPECT_EQ(reader->Blocks()[0].code.size(), 12u);
}

TEST_F(Flows, OfAChildKnowWhatItsAncestorsDescribed) {
  made_.Describe(made_.AddBlock(0x1000, 4), 1, {});
  tare_wire_header plan = tare_wire_inherit(&made_.recording(), 41);
  SyntheticFlow child(directory_.path(), plan);
  // Descriptions that the parent adds after the fork are not the child's.
  made_.Describe(made_.AddBlock(0x5000, 4), 1, {});
  child.Describe(child.AddBlock(0x2000, 4), 2, {{0, 8, 0, 1, TARE_FLOW_LOAD, 0}});
  plan = tare_wire_inherit(&child.recording(), 42);
  SyntheticFlow grandchild(directory_.path(), plan);
  grandchild.Describe(grandchild.AddBlock(0x3000, 4), 1, {});
  auto reader = Open("42.0");
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->parent_process(), 41u);
  const auto refreshed = reader->Refresh();
  ASSERT_TRUE(refreshed) << refreshed.error().message;
  ASSERT_EQ(reader->Blocks().size(), 3u);
  EXPECT_EQ(reader->Blocks()[0].address, 0x1000u);
  EXPECT_EQ(reader->Blocks()[1].address, 0x2000u);
  EXPECT_EQ(reader->Blocks()[1].accesses.size(), 1u);
  EXPECT_EQ(reader->Blocks()[2].address, 0x3000u);
}

TEST_F(Flows, OfAChildWhoseParentIsMissingAreRefused) {
  made_.Describe(made_.AddBlock(0x1000, 4), 1, {});
  SyntheticFlow child(directory_.path(), tare_wire_inherit(&made_.recording(), 41));
  std::filesystem::remove(directory_ / "40.0");
  auto reader = Open("41.0");
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->Refresh());
}

TEST_F(Flows, OfAChildThatIsItsOwnParentAreRefused) {
  made_.Describe(made_.AddBlock(0x1000, 4), 1, {});
  made_.recording().inherited_used = made_.recording().used;
  made_.recording().parent_process = 40;
  auto reader = Open();
  ASSERT_TRUE(reader);
  const auto refreshed = reader->Refresh();
  ASSERT_FALSE(refreshed);
  EXPECT_EQ(refreshed.error().kind, ErrorKind::kFormat);
}

TEST_F(Flows, CountsAreInTheRecordingAfterwards) {
  made_.AddBlock(0x1000, 4);
  const auto block = made_.AddBlock(0x2000, 4, TARE_WIRE_CONDITIONAL);
  made_.Describe(block, 1, {});
  auto reader = Open();
  ASSERT_TRUE(reader);
  const std::vector<tare_wire_counters> counts = {{0, 0}, {12, 5}};
  ASSERT_TRUE(reader->WriteCounts(counts));
  const auto recordings = ReadRecordings(directory_.path());
  ASSERT_TRUE(recordings) << recordings.error().message;
  ASSERT_EQ(recordings->size(), 1u);
  ASSERT_EQ((*recordings)[0].blocks.size(), 1u);
  EXPECT_EQ((*recordings)[0].blocks[0].number, block);
  EXPECT_EQ((*recordings)[0].blocks[0].executions, 12u);
  EXPECT_EQ((*recordings)[0].blocks[0].second, 5u);
  EXPECT_FALSE(reader->WriteCounts(std::vector<tare_wire_counters>(9)));
}

TEST_F(Flows, ThatAreNotBegunCanBeTriedAgain) {
  made_.header().magic = 0;
  const auto early = Open();
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().kind, ErrorKind::kFormat);
  made_.header().magic = TARE_FLOW_MAGIC;
  EXPECT_TRUE(Open());
}

TEST_F(Flows, OfAnotherVersionNameBoth) {
  made_.header().version = 9;
  const auto reader = Open();
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().message, HasSubstr("version 9"));
  EXPECT_THAT(reader.error().message, HasSubstr(fmt::format("version {}", TARE_FLOW_VERSION)));
}

// Headers that point outside of the file, and those of another process.
TEST_F(Flows, WithWildHeadersAreRefused) {
  using Change = std::function<void(tare_flow_header&)>;
  const std::vector<Change> changes = {
      [](auto& header) { header.chunks = 0; },
      [](auto& header) { header.chunks = TARE_FLOW_MAX_CHUNKS + 1; },
      [](auto& header) { header.chunks = kSyntheticChunks + 1; },
      [](auto& header) { header.first_at = 0; },
      [](auto& header) { header.first_at += 4; },
      [](auto& header) { header.first_at = ~std::uint64_t{7}; },
      [](auto& header) { header.process = 41; },
      [](auto& header) { header.generation = 1; },
      [](auto& header) { header.architecture = TARE_WIRE_X86_64; },
  };
  const tare_flow_header good = made_.header();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    made_.header() = good;
    changes[i](made_.header());
    const auto reader = Open();
    ASSERT_FALSE(reader) << i;
    EXPECT_EQ(reader.error().kind, ErrorKind::kFormat) << i;
  }
}

TEST_F(Flows, WithWildNumbersOfChunksAndWordsStayInside) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  made_.header().written = 1;
  made_.header().chunk_words[0] = 0xffffffff;
  EXPECT_EQ(reader->Next().size(), 2 * TARE_FLOW_CHUNK / 8);
  made_.header().written = 1000;
  EXPECT_TRUE(reader->Next().empty());
  EXPECT_FALSE(reader->Wait(1));
}

TEST_F(Flows, ChunksWithoutWordsArePassedOver) {
  auto reader = Open();
  ASSERT_TRUE(reader);
  made_.HandOver({});
  made_.HandOver({3});
  ASSERT_TRUE(reader->Wait(0));
  EXPECT_THAT(reader->Next(), ElementsAre(3));
}

}  // namespace
}  // namespace tare::format
