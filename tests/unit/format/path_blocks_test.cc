// path_blocks_test.cc: blocks as paths: the same blocks again, counted, forgotten and damaged.
#include "format/path_blocks.h"

#include <gtest/gtest.h>

#include <random>

#include "format/event_codec.h"
#include "format/path_dictionary.h"

namespace tare::format {
namespace {

EventTables PlainTables(std::size_t blocks, std::uint32_t words = 0) {
  EventTables tables;
  tables.blocks.resize(blocks);
  for (TraceBlock& block : tables.blocks) block.words = words;
  tables.threads.resize(2);
  return tables;
}

BlockBatch RandomPaths(const EventTables& tables, unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  BlockBatch batch;
  for (std::size_t i = 0; i < count; ++i) {
    batch.blocks.push_back(static_cast<std::uint32_t>(random() % tables.blocks.size()));
    for (std::uint32_t w = 0; w < tables.blocks[batch.blocks.back()].words; ++w)
      batch.words.push_back(random());
  }
  return batch;
}

std::span<const std::byte> ChunkBytes(const std::string& raw) {
  return std::as_bytes(std::span(raw));
}

// One encoder, and a decoder for each way to read.
struct PathCoders {
  PathEncoder encoder;
  PathDecoder lists;
  PathDecoder counts;
  std::vector<std::uint64_t> executions;  // of all blocks that were encoded

  // The size of the chunk.
  std::size_t Expect(const BlockBatch& batch, const EventTables& tables) {
    std::string raw;
    encoder.Encode(batch, raw);
    BlockBatch again;
    EXPECT_TRUE(lists.Decode(ChunkBytes(raw), tables, again));
    EXPECT_EQ(again, batch);
    executions.resize(tables.blocks.size());
    const auto counted = counts.Count(ChunkBytes(raw), batch.blocks.size(), tables, again);
    EXPECT_TRUE(counted);
    EXPECT_EQ(counted.value_or(0), batch.blocks.size());
    EXPECT_EQ(again.marks, batch.marks);
    if (batch.words.empty()) {
      EXPECT_TRUE(again.blocks.empty());
      for (const std::uint32_t block : batch.blocks) ++executions[block];
    } else {
      EXPECT_EQ(again, batch);
    }
    std::vector<std::uint64_t> made = counts.Executions();
    made.resize(executions.size());
    EXPECT_EQ(made, executions);
    return raw.size();
  }
};

// A loop of five blocks is a path of ten, whose number takes two bytes.
TEST(PathBlocks, OfALoopArePathsOfSeveralTurns) {
  const EventTables tables = PlainTables(10);
  BlockBatch loop;
  for (std::uint32_t i = 0; i < 50'000; ++i) loop.blocks.push_back(i % 5);
  PathCoders coders;
  coders.Expect(loop, tables);
  const std::size_t bytes = coders.Expect(loop, tables);
  EXPECT_GE(bytes, 2 * loop.blocks.size() / 10);
  EXPECT_LE(bytes, 2 * loop.blocks.size() / 10 + 100);
  loop.blocks[20'000] = 9;
  EXPECT_LE(coders.Expect(loop, tables), bytes + 100);
}

TEST(PathBlocks, OfALoopOfOneBlockHaveEightTurns) {
  const EventTables tables = PlainTables(10);
  BlockBatch loop;
  loop.blocks.assign(50'000, 3);
  PathCoders coders;
  coders.Expect(loop, tables);
  EXPECT_LE(coders.Expect(loop, tables), 2 * loop.blocks.size() / 8 + 100);
}

// Almost every path is new, so that numbers need more than 16 bits, and all paths are forgotten
// twice.
TEST(PathBlocks, InRandomOrderNeedLongNumbersAndAreForgotten) {
  const EventTables tables = PlainTables(1u << 16);
  PathCoders coders;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const std::size_t bytes = coders.Expect(RandomPaths(tables, seed, kMaxBatchBlocks), tables);
    EXPECT_LT(bytes, kMaxBatchBlocks * 4);
  }
}

TEST(PathBlocks, HaveWordsAndMarks) {
  const EventTables tables = PlainTables(100, 2);
  PathCoders coders;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    BlockBatch batch = RandomPaths(tables, seed, 1000);
    batch.marks = {{0, MarkKind::kThread, 1}, {7, MarkKind::kSignal, 9}, {1000, MarkKind::kGap, 3}};
    coders.Expect(batch, tables);
  }
  coders.Expect({}, tables);
}

TEST(PathBlocks, OfLoopsWithWordsHaveThemAll) {
  EventTables tables = PlainTables(10);
  tables.blocks[1].words = 3;
  BlockBatch loop;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    loop.blocks.push_back(i % 5);
    if (i % 5 == 1) loop.words.insert(loop.words.end(), {i, 2 * i, 3 * i});
  }
  PathCoders coders;
  coders.Expect(loop, tables);
  coders.Expect(loop, tables);
}

// Whatever a damaged chunk says, nothing is counted of it.
TEST(PathBlocks, OfADamagedChunkAreNotCounted) {
  const EventTables tables = PlainTables(50);
  const BlockBatch batch = RandomPaths(tables, 1, 200);
  std::string raw;
  PathEncoder().Encode(batch, raw);
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * raw.size(); ++bit) {
    std::string damaged = raw;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    PathDecoder decoder;
    BlockBatch again;
    const auto counted = decoder.Count(ChunkBytes(damaged), batch.blocks.size(), tables, again);
    std::uint64_t executions = 0;
    for (const std::uint64_t count : decoder.Executions()) executions += count;
    EXPECT_EQ(executions, counted.value_or(0)) << bit;
    EXPECT_EQ(PathDecoder().Decode(ChunkBytes(damaged), tables, again).has_value(),
              counted.has_value());
    if (!counted) ++refused;
  }
  EXPECT_GT(refused, raw.size());
  PathDecoder decoder;
  BlockBatch again;
  EXPECT_FALSE(decoder.Count(ChunkBytes(raw), batch.blocks.size() + 1, tables, again));
  EXPECT_TRUE(decoder.Executions().empty());
  for (std::size_t cut = 0; cut < raw.size(); ++cut) {
    EXPECT_FALSE(PathDecoder().Decode(ChunkBytes(raw.substr(0, cut)), tables, again)) << cut;
  }
}

}  // namespace
}  // namespace tare::format
