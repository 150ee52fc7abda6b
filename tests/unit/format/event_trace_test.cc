// event_trace_test.cc: event traces in all encodings, whole, cut and damaged.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/file.h"
#include "base/private_directory.h"
#include "format/abstract_blocks.h"
#include "format/event_codec.h"
#include "format/event_reader.h"
#include "format/event_writer.h"
#include "format/path_blocks.h"
#include "format/predicted_blocks.h"

namespace tare::format {
namespace {

TraceBlock BlockAt(std::uint64_t address, BlockEnd end, std::uint32_t words = 0) {
  TraceBlock block;
  block.address = address;
  block.code_bytes = 16;
  block.instructions = 4;
  block.end = end;
  block.words = words;
  for (std::uint32_t w = 1; w <= words; ++w)
    block.accesses.push_back({AccessKind::kLoad, 8, w, 0, 0});
  return block;
}

// A table with every kind of end, at consecutive addresses.
EventTables SomeTables() {
  EventTables tables;
  for (std::uint32_t i = 0; i < 40; ++i)
    tables.blocks.push_back(BlockAt(0x1000 + 16 * i, static_cast<BlockEnd>(i % 7), i % 3));
  tables.threads = {{100, 1, 0}, {100, 2, 0}};
  tables.sites = {{SiteKind::kSpan, "work", "a.c", 3}, {SiteKind::kValue, "n\t\xff", "a.c", 4}};
  tables.functions = {{"main", "/bin/x"}};
  tables.block_functions = {0, kNoFunction, 0};
  return tables;
}

void Add(BlockBatch& batch, const EventTables& tables, std::uint32_t block, std::uint64_t word) {
  batch.blocks.push_back(block);
  for (std::uint32_t w = 0; w < tables.blocks[block].words; ++w) batch.words.push_back(word + w);
}

// Blocks in no order that any program has, so that every rule of the model is broken.
BlockBatch RandomBatch(const EventTables& tables, unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  BlockBatch batch;
  batch.marks.push_back({0, MarkKind::kThread, 0});
  for (std::size_t i = 0; i < count; ++i) {
    if (random() % 50 == 0) batch.marks.push_back({i, MarkKind::kThread, random() % 2});
    if (random() % 97 == 0) batch.marks.push_back({i, MarkKind::kSignal, random()});
    if (random() % 211 == 0) batch.marks.push_back({i, MarkKind::kGap, random() % 9 + 1});
    Add(batch, tables, static_cast<std::uint32_t>(random() % tables.blocks.size()), random());
  }
  batch.marks.push_back({count, MarkKind::kSignal, 7});
  return batch;
}

class EventTraceFile : public testing::Test {
 protected:
  void SetUp() override {
    auto made = PrivateDirectory::Make();
    ASSERT_TRUE(made);
    directory_.emplace(std::move(*made));
    path_ = directory_->path() / "x.events";
  }

  void WriteTrace(TraceEncoding encoding, std::size_t batches) {
    EventTraceHead head;
    head.program = "x";
    head.encoding = encoding;
    auto writer = EventTraceWriter::Create(path_, head);
    ASSERT_TRUE(writer);
    writer->tables() = SomeTables();
    for (std::size_t b = 0; b < batches; ++b) {
      const BlockBatch batch = RandomBatch(writer->tables(), static_cast<unsigned>(b + 1), 300);
      auto mark = batch.marks.begin();
      std::size_t word = 0;
      for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
        for (; mark != batch.marks.end() && mark->position <= i; ++mark)
          writer->AddMark(mark->kind, mark->value);
        const std::uint32_t words = writer->tables().blocks[batch.blocks[i]].words;
        writer->AddBlock(batch.blocks[i], std::span(batch.words).subspan(word, words));
        word += words;
      }
      writer->AddTimed({TimedKind::kBegin, true, 0, 0, 10 * b, 0});
      writer->AddTimed({TimedKind::kValue, true, 1, 1, 10 * b + 1, ~std::uint64_t{0}});
      writer->AddTimed({TimedKind::kEnd, true, 0, 0, 10 * b + 5, 0});
      writer->Flush();
    }
    ASSERT_TRUE(writer->Close({}));
  }

  // The number of events, and whether the trace is complete.
  static std::pair<std::uint64_t, bool> ReadAll(EventTraceReader& reader) {
    std::uint64_t events = 0;
    while (reader.Next()) events += reader.Blocks().blocks.size() + reader.Timed().size();
    return {events, reader.Outcome().complete};
  }

  static ChunkSource SourceOf(std::string bytes) {
    return [bytes = std::move(bytes)](std::uint64_t place,
                                      std::span<std::byte> to) -> Result<std::size_t> {
      const std::size_t count =
          place >= bytes.size() ? 0 : std::min<std::size_t>(to.size(), bytes.size() - place);
      if (count > 0) std::memcpy(to.data(), bytes.data() + place, count);
      return count;
    };
  }

  std::string Bytes() const { return *ReadFile(path_, 1u << 24); }

  std::optional<PrivateDirectory> directory_;
  std::filesystem::path path_;
};

template <typename Encoder, typename Decoder>
void ExpectRegenerated(const EventTables& tables) {
  Encoder encoder;
  Decoder decoder;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const BlockBatch batch = RandomBatch(tables, seed, 2000);
    std::string raw;
    if constexpr (requires { encoder.Learn(tables); }) encoder.Learn(tables);
    encoder.Encode(batch, raw);
    BlockBatch again;
    ASSERT_TRUE(decoder.Decode(std::as_bytes(std::span(raw)), tables, again));
    ASSERT_EQ(again, batch) << seed;
  }
}

TEST(AbstractBlocks, AnySequenceIsRegeneratedExactly) {
  ExpectRegenerated<AbstractEncoder, AbstractDecoder>(SomeTables());
}

TEST(PathBlocks, AnySequenceIsRegeneratedExactly) {
  ExpectRegenerated<PathEncoder, PathDecoder>(SomeTables());
}

TEST(PredictedBlocks, AnySequenceIsRegeneratedExactly) {
  ExpectRegenerated<PredictedEncoder, PredictedDecoder>(SomeTables());
}

// A loop is learnt; a block that leaves it is stored, and so is each of more successors than a
// block has places for.
TEST(PredictedBlocks, OnlySurprisesAreStored) {
  const EventTables tables = SomeTables();
  PredictedEncoder encoder;
  PredictedDecoder decoder;
  const auto bytes = [&](const BlockBatch& batch) {
    std::string raw;
    encoder.Learn(tables);
    encoder.Encode(batch, raw);
    BlockBatch again;
    EXPECT_TRUE(decoder.Decode(std::as_bytes(std::span(raw)), tables, again));
    EXPECT_EQ(again, batch);
    return raw.size();
  };
  BlockBatch loop;  // of blocks without words
  for (std::uint32_t i = 0; i < 50'000; ++i) loop.blocks.push_back(i % 5 * 3);
  bytes(loop);
  const std::size_t learnt = bytes(loop);
  EXPECT_LT(learnt, 20u);
  loop.blocks[20'000] = 39;
  const std::size_t left_once = bytes(loop);
  EXPECT_GT(left_once, learnt);
  EXPECT_LT(left_once, learnt + 400);
  for (std::uint32_t i = 0; i < 9'000; i += 9) loop.blocks[i] = 3 * (i / 9 % 10 + 3);
  EXPECT_GT(bytes(loop), left_once);
}

TEST(AbstractBlocks, ALoopNeedsAlmostNothing) {
  EventTables tables;
  tables.blocks = {BlockAt(0x1000, BlockEnd::kContinues), BlockAt(0x1010, BlockEnd::kConditional),
                   BlockAt(0x1020, BlockEnd::kCall), BlockAt(0x2000, BlockEnd::kReturn),
                   BlockAt(0x1030, BlockEnd::kContinues)};
  BlockBatch batch;
  for (int i = 0; i < 20'000; ++i)
    for (const std::uint32_t block : {0u, 1u, 2u, 3u, 4u}) batch.blocks.push_back(block);
  std::string raw;
  AbstractEncoder encoder;
  encoder.Learn(tables);
  encoder.Encode(batch, raw);
  EXPECT_LT(raw.size(), 200u);  // 400,000 bytes as block numbers
}

// The if/else of Lilja, figures 6.9 and 6.10: block 1, then 2 or 3, then 4. Only which of the two
// it was must be stored.
BlockBatch Diamonds(std::size_t passes, const auto& takes_else) {
  BlockBatch batch;
  for (std::size_t i = 0; i < passes; ++i)
    for (const std::uint32_t block : {0u, takes_else(i) ? 2u : 1u, 3u})
      batch.blocks.push_back(block);
  return batch;
}

EventTables DiamondTables() {
  EventTables tables;
  tables.blocks = {BlockAt(0x1000, BlockEnd::kConditional), BlockAt(0x1010, BlockEnd::kContinues),
                   BlockAt(0x1030, BlockEnd::kContinues), BlockAt(0x1040, BlockEnd::kContinues)};
  return tables;
}

std::size_t AbstractBytes(const BlockBatch& batch, const EventTables& tables) {
  std::string raw;
  AbstractEncoder encoder;
  encoder.Learn(tables);
  encoder.Encode(batch, raw);
  BlockBatch again;
  EXPECT_TRUE(AbstractDecoder().Decode(std::as_bytes(std::span(raw)), tables, again));
  EXPECT_EQ(again, batch);
  return raw.size();
}

TEST(AbstractBlocks, ARandomIfElseNeedsABitPerPass) {
  constexpr std::size_t kPasses = 20'000;  // 240,000 bytes as block numbers
  std::mt19937 random(1);
  const auto batch = Diamonds(kPasses, [&](std::size_t) { return random() % 2 == 0; });
  const std::size_t bits = 8 * AbstractBytes(batch, DiamondTables());
  EXPECT_GE(bits, kPasses);
  EXPECT_LE(bits, kPasses * 11 / 10);
}

TEST(AbstractBlocks, AnIfElseWithAPatternNeedsAlmostNothing) {
  constexpr std::size_t kPasses = 20'000;
  const EventTables tables = DiamondTables();
  EXPECT_LT(AbstractBytes(Diamonds(kPasses, [](std::size_t) { return true; }), tables), 100u);
  // i > 5 of figure 6.9, where i counts to 10 again and again.
  EXPECT_LT(AbstractBytes(Diamonds(kPasses, [](std::size_t i) { return i % 10 <= 5; }), tables),
            200u);
}

// Lilja, exercise 10: blocks in random order follow no rule, so each is an exception, and its
// number takes the 16 bits that it has at random.
TEST(AbstractBlocks, InRandomOrderTakeTheBitsOfTheirNumbers) {
  constexpr std::size_t kCount = 100'000;
  EventTables tables;
  for (std::uint32_t i = 0; i < 1u << 16; ++i)
    tables.blocks.push_back(BlockAt(0x1000 + 16 * i, BlockEnd::kContinues));
  std::mt19937 random(1);
  BlockBatch batch;
  for (std::size_t i = 0; i < kCount; ++i)
    batch.blocks.push_back(static_cast<std::uint32_t>(random() % (1u << 16)));
  const double bytes = static_cast<double>(AbstractBytes(batch, tables)) / kCount;
  EXPECT_GT(bytes, 2.0);
  EXPECT_LT(bytes, 2.05);
}

// A difference of 64 random bits needs 9 or 10 bytes of 7 bits.
TEST(AbstractBlocks, WithRandomWordsAreLargerThanTheWords) {
  constexpr std::size_t kCount = 20'000;
  EventTables tables;
  tables.blocks = {BlockAt(0x1000, BlockEnd::kContinues, 1)};
  std::mt19937_64 random(1);
  BlockBatch batch;
  for (std::size_t i = 0; i < kCount; ++i) Add(batch, tables, 0, random());
  const double bytes = static_cast<double>(AbstractBytes(batch, tables)) / kCount;
  EXPECT_GT(bytes, 9.0);
  EXPECT_LT(bytes, 10.1);
}

TEST_F(EventTraceFile, AllEncodingsHoldTheSameEvents) {
  WriteTrace(TraceEncoding::kFull, 3);
  auto full = EventTraceReader::Open(path_);
  ASSERT_TRUE(full);
  std::vector<BlockBatch> batches;
  std::vector<TimedEvent> timed;
  while (full->Next()) {
    if (!full->Blocks().IsEmpty()) batches.push_back(full->Blocks());
    timed.insert(timed.end(), full->Timed().begin(), full->Timed().end());
  }
  EXPECT_TRUE(full->Outcome().complete) << full->Outcome().reason;
  for (const TraceEncoding encoding : {TraceEncoding::kAbstract, TraceEncoding::kPredicted}) {
    WriteTrace(encoding, 3);
    auto small = EventTraceReader::Open(path_);
    ASSERT_TRUE(small);
    std::size_t at = 0;
    std::vector<TimedEvent> timed_again;
    while (small->Next()) {
      if (!small->Blocks().IsEmpty()) {
        ASSERT_EQ(small->Blocks(), batches.at(at));
        ++at;
      }
      timed_again.insert(timed_again.end(), small->Timed().begin(), small->Timed().end());
    }
    EXPECT_EQ(at, 3u) << small->Outcome().reason;
    EXPECT_EQ(timed_again, timed);
    EXPECT_EQ(small->Tables().sites, SomeTables().sites);
    EXPECT_EQ(small->Tables().blocks, SomeTables().blocks);
    EXPECT_EQ(small->Tables().functions, SomeTables().functions);
    EXPECT_EQ(small->Tables().block_functions, SomeTables().block_functions);
  }
}

// A trace of blocks without words, which a reader need not list.
TEST_F(EventTraceFile, BlocksAreCountedOrListedButNotBoth) {
  for (const TraceEncoding encoding :
       {TraceEncoding::kFull, TraceEncoding::kAbstract, TraceEncoding::kPredicted}) {
    EventTraceHead head;
    head.encoding = encoding;
    auto writer = EventTraceWriter::Create(path_, head);
    ASSERT_TRUE(writer);
    writer->tables() = SomeTables();
    std::vector<std::uint64_t> executions(writer->tables().blocks.size());
    std::mt19937 random(1);
    for (int i = 0; i < 10'000; ++i) {
      const auto block = static_cast<std::uint32_t>(3 * (random() % 9));  // without words
      if (i % 1000 == 0) writer->AddMark(MarkKind::kThread, random() % 2);
      if (i % 3000 == 0) writer->Flush();
      writer->AddBlock(block, {});
      ++executions[block];
    }
    ASSERT_TRUE(writer->Close({}));
    auto reader = EventTraceReader::Open(path_);
    ASSERT_TRUE(reader);
    reader->CountBlocks();
    std::vector<std::uint64_t> counted(executions.size());
    std::size_t listed = 0;
    std::size_t marks = 0;
    while (reader->Next()) {
      for (const std::uint32_t block : reader->Blocks().blocks) ++counted[block];
      listed += reader->Blocks().blocks.size();
      marks += reader->Blocks().marks.size();
    }
    EXPECT_TRUE(reader->Outcome().complete) << reader->Outcome().reason;
    EXPECT_EQ(listed, encoding == TraceEncoding::kFull ? 0u : 10'000u);
    EXPECT_EQ(marks, 10u);
    for (std::size_t i = 0; i < reader->Executions().size(); ++i)
      counted[i] += reader->Executions()[i];
    EXPECT_EQ(counted, executions);
  }
}

// Blocks that no encoding makes small, so that the file is long compared with its totals.
TEST_F(EventTraceFile, LongTracesHaveTotalsSoThatBlocksNeedNotBeDecoded) {
  for (const TraceEncoding encoding :
       {TraceEncoding::kFull, TraceEncoding::kAbstract, TraceEncoding::kPredicted}) {
    for (const std::size_t count : {100u, 100'000u}) {
      EventTraceHead head;
      head.encoding = encoding;
      auto writer = EventTraceWriter::Create(path_, head);
      ASSERT_TRUE(writer);
      writer->tables() = SomeTables();
      BlockTotals totals;
      totals.executions.resize(writer->tables().blocks.size());
      totals.signals = 1;
      writer->AddMark(MarkKind::kSignal, 0);
      std::mt19937 random(1);
      for (std::size_t i = 0; i < count; ++i) {
        const auto block = static_cast<std::uint32_t>(3 * (random() % 13));  // without words
        writer->AddBlock(block, {});
        ++totals.executions[block];
      }
      writer->SetTotals(totals);
      ASSERT_TRUE(writer->Close({}));
      auto reader = EventTraceReader::Open(path_);
      ASSERT_TRUE(reader);
      reader->SkipBlocks();
      EXPECT_EQ(ReadAll(*reader), std::pair(std::uint64_t{0}, true)) << reader->Outcome().reason;
      EXPECT_EQ(reader->Outcome().end->blocks, count);
      EXPECT_EQ(reader->Totals(), count > 100 ? std::optional(totals) : std::nullopt);
      reader = EventTraceReader::Open(path_);
      EXPECT_EQ(ReadAll(*reader), std::pair(std::uint64_t{count}, true));
    }
  }
}

TEST_F(EventTraceFile, TotalsThatDoNotMatchTheBlocksAreDamage) {
  constexpr std::uint64_t kBlocks = 100'000;
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;  // two of them are 0
  for (const auto& executions :
       {std::vector<std::uint64_t>{kBlocks + 1}, {kHalf, kHalf + kBlocks}}) {
    auto writer = EventTraceWriter::Create(path_, {});
    ASSERT_TRUE(writer);
    writer->tables() = SomeTables();
    std::mt19937 random(1);
    for (std::uint64_t i = 0; i < kBlocks; ++i)
      writer->AddBlock(static_cast<std::uint32_t>(3 * (random() % 13)), {});
    writer->SetTotals({executions, 0});
    ASSERT_TRUE(writer->Close({}));
    auto reader = EventTraceReader::Open(path_);
    ASSERT_TRUE(reader);
    EXPECT_FALSE(ReadAll(*reader).second);
    EXPECT_TRUE(reader->Outcome().reason.contains("totals")) << reader->Outcome().reason;
  }
}

TEST_F(EventTraceFile, AreSkippedOnlyWithTheRightChecksums) {
  WriteTrace(TraceEncoding::kFull, 2);
  const std::string bytes = Bytes();
  for (std::size_t at = sizeof(Preamble); at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    auto reader = EventTraceReader::From(SourceOf(damaged), "x");
    if (!reader) continue;
    reader->SkipBlocks();
    EXPECT_FALSE(ReadAll(*reader).second) << at;
  }
}

class EncodedTraceFile : public EventTraceFile,
                         public testing::WithParamInterface<TraceEncoding> {};

INSTANTIATE_TEST_SUITE_P(Encodings, EncodedTraceFile,
                         testing::Values(TraceEncoding::kFull, TraceEncoding::kAbstract,
                                         TraceEncoding::kPredicted),
                         [](const auto& made) { return std::string(Name(made.param)); });

TEST_P(EncodedTraceFile, ThatIsCutAnywhereIsReadUpToTheCut) {
  WriteTrace(GetParam(), 2);
  const std::string bytes = Bytes();
  std::uint64_t before = 0;
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    auto reader = EventTraceReader::From(SourceOf(bytes.substr(0, cut)), "x");
    if (!reader) {
      EXPECT_EQ(reader.error().kind, ErrorKind::kFormat);
      continue;
    }
    const auto [events, complete] = ReadAll(*reader);
    EXPECT_FALSE(complete) << cut;
    EXPECT_TRUE(reader->Outcome().reason.starts_with("incomplete: ")) << cut;
    EXPECT_GE(events, before);
    before = events;
  }
  auto whole = EventTraceReader::From(SourceOf(bytes), "x");
  ASSERT_TRUE(whole);
  EXPECT_EQ(ReadAll(*whole), std::pair(std::uint64_t{606}, true));
}

TEST_P(EncodedTraceFile, WithAFlippedBitIsNeverComplete) {
  WriteTrace(GetParam(), 1);
  const std::string bytes = Bytes();
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 3) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    auto reader = EventTraceReader::From(SourceOf(damaged), "x");
    if (reader) {
      EXPECT_FALSE(ReadAll(*reader).second) << bit;
    }
  }
}

TEST_F(EventTraceFile, OfAWriterThatWasKilledIsIncomplete) {
  {
    auto writer = EventTraceWriter::Create(path_, {});
    ASSERT_TRUE(writer);
    writer->tables() = SomeTables();
    writer->AddMark(MarkKind::kThread, 0);
    writer->AddBlock(0, {});
    writer->Flush();
    writer->AddBlock(0, {});  // never written
  }
  auto reader = EventTraceReader::Open(path_);
  ASSERT_TRUE(reader);
  EXPECT_EQ(ReadAll(*reader), std::pair(std::uint64_t{1}, false));
}

TEST_F(EventTraceFile, OnAFullDiskFails) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  const auto writer = EventTraceWriter::Create("/dev/full", {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().kind, ErrorKind::kIo);
}

TEST_F(EventTraceFile, OfAnotherVersionIsRefusedAndBothAreNamed) {
  WriteTrace(TraceEncoding::kFull, 1);
  std::string bytes = Bytes();
  bytes[offsetof(Preamble, version)] = 2;
  const auto reader = EventTraceReader::From(SourceOf(bytes), "x");
  ASSERT_FALSE(reader);
  EXPECT_TRUE(reader.error().message.contains("of version 2; this tare reads version 3"))
      << reader.error().message;
}

TEST_F(EventTraceFile, OtherFilesAreRefused) {
  std::ofstream(path_) << "not a trace, but long enough for a preamble";
  const auto reader = EventTraceReader::Open(path_);
  ASSERT_FALSE(reader);
  EXPECT_TRUE(reader.error().message.contains("not an event trace"));
}

}  // namespace
}  // namespace tare::format
