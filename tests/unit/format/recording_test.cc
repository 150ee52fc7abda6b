// recording_test.cc: tests that recordings written by the engines' code are read back completely.
#include "format/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "synthetic_recording.h"

namespace tare::format {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Recording Parsed(const RecordingSource& source, std::vector<RecordingSource> ancestors = {}) {
  const auto recording = ParseRecording(source, ancestors);
  EXPECT_TRUE(recording) << (recording ? "" : recording.error().message);
  return recording ? *recording : Recording{};
}

TEST(Recording, OneThatJustBeganIsEmpty) {
  const auto recording = Parsed(SyntheticRecording().Source());
  EXPECT_EQ(recording.state, TARE_WIRE_RUNNING);
  EXPECT_TRUE(recording.blocks.empty());
  EXPECT_TRUE(recording.objects.empty());
}

TEST(Recording, HasTheBlocksThatRanWithTheirCode) {
  SyntheticRecording made;
  const auto first = made.AddBlock(0x1000, {1, 2, 3, 4, 5}, 2);
  const auto second = made.AddBlock(0x2000, {6, 7, 8}, 1);
  made.Run(first, 10);
  made.Run(second, 20);
  const auto recording = Parsed(made.Source());
  ASSERT_EQ(recording.blocks.size(), 2u);
  EXPECT_EQ(recording.blocks[0].address, 0x1000u);
  EXPECT_EQ(recording.blocks[0].instructions, 2u);
  EXPECT_EQ(recording.blocks[0].executions, 10u);
  EXPECT_THAT(CodeOf(recording.blocks[0]), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(recording.blocks[1].executions, 20u);
  EXPECT_THAT(CodeOf(recording.blocks[1]), ElementsAre(6, 7, 8));
}

TEST(Recording, LeavesOutBlocksThatNeverRan) {
  SyntheticRecording made;
  made.AddBlock(0x1000, {1}, 1);
  const auto ran = made.AddBlock(0x2000, {2}, 1);
  made.AddBlock(0x3000, {3}, 1);
  made.Run(ran, 1);
  const auto recording = Parsed(made.Source());
  ASSERT_EQ(recording.blocks.size(), 1u);
  EXPECT_EQ(recording.blocks[0].address, 0x2000u);
}

// A repeated instruction that is reached in one block and iterates in another.
TEST(Recording, KeepsBlocksThatOnlyIterated) {
  SyntheticRecording made;
  made.Run(made.AddBlock(0x1000, {0xf3, 0xa4}, 1, TARE_WIRE_REPEATED), 0, 30);
  const auto recording = Parsed(made.Source());
  ASSERT_EQ(recording.blocks.size(), 1u);
  EXPECT_EQ(recording.blocks[0].executions, 0u);
  EXPECT_EQ(recording.blocks[0].second, 30u);
}

TEST(Recording, StatesWhatTheSecondCounterMeans) {
  SyntheticRecording made;
  made.Run(made.AddBlock(0x1000, {1}, 1, TARE_WIRE_CONDITIONAL), 9, 4);
  made.Run(made.AddBlock(0x2000, {2}, 1, TARE_WIRE_REPEATED), 2, 700);
  made.Run(made.AddBlock(0x3000, {3}, 1), 1);
  const auto recording = Parsed(made.Source());
  ASSERT_EQ(recording.blocks.size(), 3u);
  EXPECT_TRUE(recording.blocks[0].conditional);
  EXPECT_FALSE(recording.blocks[0].repeated);
  EXPECT_EQ(recording.blocks[0].second, 4u);
  EXPECT_TRUE(recording.blocks[1].repeated);
  EXPECT_FALSE(recording.blocks[1].conditional);
  EXPECT_EQ(recording.blocks[1].second, 700u);
  EXPECT_FALSE(recording.blocks[2].conditional);
  EXPECT_FALSE(recording.blocks[2].repeated);
}

TEST(Recording, AddsUpTheBanksThatAreInUse) {
  SyntheticRecording made(SmallPlan(512, 8, 3));
  const auto block = made.AddBlock(0x1000, {1}, 1, TARE_WIRE_CONDITIONAL);
  made.Run(block, 5, 1, 0);
  made.Run(block, 7, 2, 1);
  made.Run(block, 1000, 1000, 2);
  made.header().banks_used = 2;
  const auto recording = Parsed(made.Source());
  ASSERT_EQ(recording.blocks.size(), 1u);
  EXPECT_EQ(recording.blocks[0].executions, 12u);
  EXPECT_EQ(recording.blocks[0].second, 3u);
}

TEST(Recording, JoinsABlockToTheLastMappingBeforeIt) {
  SyntheticRecording made;
  made.AddObject(0x1000, 0x2000, "/first", 0x400);
  const auto before = made.AddBlock(0x1800, {1}, 1);
  made.AddObject(0x1000, 0x2000, "");
  const auto after = made.AddBlock(0x1800, {2}, 1);
  const auto nowhere = made.AddBlock(0x2000, {3}, 1);
  for (const auto block : {before, after, nowhere}) made.Run(block, 1);
  const auto recording = Parsed(made.Source());
  ASSERT_EQ(recording.blocks.size(), 3u);
  ASSERT_EQ(recording.objects.size(), 2u);
  EXPECT_EQ(recording.blocks[0].object, 0u);
  EXPECT_EQ(recording.blocks[1].object, 1u);
  EXPECT_FALSE(recording.blocks[2].object);
  EXPECT_EQ(recording.objects[0].path, "/first");
  EXPECT_EQ(recording.objects[0].offset, 0x400u);
  EXPECT_EQ(recording.objects[0].device, 8u);
  EXPECT_EQ(recording.objects[0].inode, 42u);
  EXPECT_EQ(recording.objects[1].path, "");
}

TEST(Recording, KeepsWhatTheHeaderSays) {
  SyntheticRecording made;
  made.header().engine = TARE_WIRE_STEP;
  made.header().architecture = TARE_WIRE_X86_64;
  made.header().generation = 3;
  made.header().parent_process = 7;
  made.header().has_region = 1;
  made.header().region_entries = 11;
  made.header().threads = 4;
  made.header().lost_blocks = 5;
  made.header().lost_threads = 6;
  made.header().lost_children = 8;
  const auto recording = Parsed(made.Source());
  EXPECT_EQ(recording.engine, TARE_WIRE_STEP);
  EXPECT_EQ(recording.machine, 62);
  EXPECT_EQ(recording.process, 100u);
  EXPECT_EQ(recording.generation, 3u);
  EXPECT_EQ(recording.parent_process, 7u);
  EXPECT_TRUE(recording.has_region);
  EXPECT_EQ(recording.region_entries, 11u);
  EXPECT_EQ(recording.threads, 4u);
  EXPECT_EQ(recording.lost_blocks, 5u);
  EXPECT_EQ(recording.lost_threads, 6u);
  EXPECT_EQ(recording.lost_children, 8u);
}

TEST(Recording, StatesHowItsProcessEnded) {
  for (const auto state : {TARE_WIRE_RUNNING, TARE_WIRE_SEALED, TARE_WIRE_REPLACED}) {
    SyntheticRecording made;
    made.header().state = state;
    EXPECT_EQ(Parsed(made.Source()).state, state);
  }
}

TEST(WireWriter, CountsBlocksThatFindNoRoom) {
  SyntheticRecording few_blocks(SmallPlan(512, 1, 1));
  EXPECT_EQ(few_blocks.AddBlock(0x1000, {1}, 1), 0u);
  EXPECT_EQ(few_blocks.AddBlock(0x2000, {1}, 1), TARE_WIRE_NO_BLOCK);
  // A block of one byte takes 40 bytes, an object with a path of one letter 56.
  SyntheticRecording few_bytes(SmallPlan(80, 8, 1));
  EXPECT_EQ(few_bytes.AddBlock(0x1000, {1}, 1), 0u);
  EXPECT_FALSE(few_bytes.AddObject(0x1000, 0x2000, "/"));
  EXPECT_EQ(few_bytes.AddBlock(0x2000, {1}, 1), 1u);
  EXPECT_EQ(few_bytes.AddBlock(0x3000, {1}, 1), TARE_WIRE_NO_BLOCK);
  EXPECT_EQ(Parsed(few_blocks.Source()).lost_blocks, 1u);
  EXPECT_EQ(Parsed(few_bytes.Source()).lost_blocks, 1u);
}

// A parent with one block, whose child adds one, whose own child adds one more.
struct Family {
  SyntheticRecording parent;
  SyntheticRecording child;
  SyntheticRecording grandchild;

  static SyntheticRecording WithBlock(SyntheticRecording made, std::uint64_t address) {
    made.AddBlock(address, {1, 2}, 1);
    return made;
  }
  static SyntheticRecording Parent() {
    SyntheticRecording made;
    made.AddObject(0x1000, 0x9000, "/program");
    return WithBlock(std::move(made), 0x1000);
  }
  Family()
      : parent(Parent()),
        child(WithBlock(parent.Forked(101), 0x2000)),
        grandchild(WithBlock(child.Forked(102), 0x3000)) {}
};

TEST(Recording, OfAChildBeginsWithTheRecordsOfItsParent) {
  Family family;
  family.parent.Run(0, 100);
  family.child.Run(0, 3);
  family.child.Run(1, 4);
  // What the parent records after the fork is not the child's.
  family.parent.AddBlock(0x5000, {9, 9}, 1);
  const auto child = Parsed(family.child.Source(), {family.parent.Source()});
  EXPECT_EQ(child.process, 101u);
  EXPECT_EQ(child.parent_process, 100u);
  ASSERT_EQ(child.blocks.size(), 2u);
  EXPECT_EQ(child.blocks[0].address, 0x1000u);
  EXPECT_EQ(child.blocks[0].executions, 3u);
  EXPECT_EQ(child.blocks[0].object, 0u);
  EXPECT_EQ(child.blocks[1].address, 0x2000u);
  EXPECT_EQ(child.blocks[1].executions, 4u);
}

TEST(Recording, OfAGrandchildBeginsWithTheRecordsOfBoth) {
  Family family;
  for (std::uint64_t block = 0; block < 3; ++block) family.grandchild.Run(block, block + 1);
  const auto recording =
      Parsed(family.grandchild.Source(), {family.child.Source(), family.parent.Source()});
  ASSERT_EQ(recording.blocks.size(), 3u);
  EXPECT_EQ(recording.blocks[0].address, 0x1000u);
  EXPECT_EQ(recording.blocks[1].address, 0x2000u);
  EXPECT_EQ(recording.blocks[2].address, 0x3000u);
  EXPECT_EQ(recording.blocks[2].executions, 3u);
}

TEST(Recording, OfAChildNeedsItsAncestors) {
  Family family;
  const std::vector<RecordingSource> none;
  const auto alone = ParseRecording(family.child.Source(), none);
  ASSERT_FALSE(alone);
  EXPECT_THAT(alone.error().message, HasSubstr("parent is missing"));
  const std::vector<RecordingSource> only_parent = {family.child.Source()};
  EXPECT_FALSE(ParseRecording(family.grandchild.Source(), only_parent));
}

TEST(Recording, OfAChildRefusesAParentThatIsTooShort) {
  Family family;
  const std::vector<RecordingSource> other = {SyntheticRecording().Source()};
  const auto recording = ParseRecording(family.child.Source(), other);
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().kind, ErrorKind::kFormat);
  EXPECT_THAT(recording.error().message, HasSubstr("shorter"));
}

// Its counters would be assigned to the wrong blocks.
TEST(Recording, OfAChildThatInheritedAnotherNumberOfBlocksIsRefused) {
  Family family;
  family.child.header().inherited_blocks = 0;
  const std::vector<RecordingSource> parent = {family.parent.Source()};
  const auto recording = ParseRecording(family.child.Source(), parent);
  ASSERT_FALSE(recording);
  EXPECT_THAT(recording.error().message, HasSubstr("inherited"));
}

TEST(Recording, OfAnotherVersionNamesBoth) {
  SyntheticRecording made;
  made.header().version = 7;
  const auto recording = ParseRecording(made.Source(), {});
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().kind, ErrorKind::kFormat);
  EXPECT_THAT(recording.error().message, HasSubstr("version 7"));
  EXPECT_THAT(recording.error().message, HasSubstr("version 3"));
}

}  // namespace
}  // namespace tare::format
