// mpi_trace_test.cc: files of MPI processes, whole, cut and damaged.
#include "format/mpi_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/format/mpi_file.h"

namespace tare::format {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

MpiFileBuilder TwoChunks() {
  MpiFileBuilder file(1, 4);
  file.Predefined()
      .Event(TARE_MPI_F_Init, TARE_MPI_CPU, 0)
      .Unsigned(5000)
      .Send(2, 7, 100)
      .Chunk()
      .Receive(0, -3, 64)
      .Event(TARE_MPI_F_Waitall, TARE_MPI_COMPLETIONS)
      .Unsigned(2)
      .Signed(0)
      .Unsigned(1)
      .Signed(3)
      .Signed(5)
      .Unsigned(24)
      .Signed(0)
      .Unsigned(0)
      .Event(TARE_MPI_F_Alltoallv, TARE_MPI_LIST)
      .Unsigned(4)
      .Unsigned(3)
      .Unsigned(8)
      .Unsigned(1)
      .Unsigned(0);
  return file;
}

MpiRank Read(const std::string& file) {
  auto reader = MpiRankReader::From(BytesOf(file), "file");
  EXPECT_TRUE(reader);
  return ReadMpiRank(std::move(*reader));
}

TEST(MpiTrace, EventsHaveTheirFieldsAndTimes) {
  const MpiRank rank = Read(TwoChunks().Bytes());
  EXPECT_TRUE(rank.outcome.complete) << rank.outcome.reason;
  EXPECT_EQ(rank.header.program, "/bin/ring");
  ASSERT_EQ(rank.events.size(), 5u);
  EXPECT_EQ(rank.events[0].burst_cpu_ns, 5000u);
  EXPECT_EQ(rank.events[1].operation, TARE_MPI_SEND);
  EXPECT_EQ(rank.events[1].start_ns, 110);
  EXPECT_EQ(rank.events[1].end_ns, 120);
  EXPECT_EQ(rank.events[1].peer, 2);
  EXPECT_EQ(rank.events[1].bytes, 100u);
  EXPECT_EQ(rank.events[2].tag, -3);
  EXPECT_EQ(rank.events[2].bytes_received, 64u);
  const auto done = rank.CompletionsOf(rank.events[3]);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0],
            (MpiCompletion{.request = 1, .is_receive = true, .source = 3, .tag = 5, .bytes = 24}));
  EXPECT_EQ(done[1], (MpiCompletion{.request = 2}));
  EXPECT_THAT(rank.ListOf(rank.events[4]), testing::ElementsAre(8, 8, 8, 0));
  EXPECT_EQ(rank.communicators[0].members, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(rank.communicators[1].members, (std::vector<std::int32_t>{1}));
}

TEST(MpiTrace, AFileCutAtAnyByteGivesTheWholeChunksBefore) {
  const std::string whole = TwoChunks().Bytes();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::string cut = whole.substr(0, bytes);
    auto reader = MpiRankReader::From(BytesOf(cut), "file");
    if (bytes < TARE_MPI_HEADER_BYTES) {
      EXPECT_FALSE(reader) << bytes;
      continue;
    }
    ASSERT_TRUE(reader) << bytes;
    const MpiRank rank = ReadMpiRank(std::move(*reader));
    EXPECT_FALSE(rank.outcome.complete) << bytes;
    EXPECT_THAT(rank.outcome.reason, StartsWith("incomplete: ")) << bytes;
    EXPECT_TRUE(rank.events.empty() || rank.events.size() == 2 || rank.events.size() == 5) << bytes;
  }
}

TEST(MpiTrace, AFlippedBitNeverChangesAnEventUnnoticed) {
  const std::string whole = TwoChunks().Bytes();
  const MpiRank sound = Read(whole);
  for (std::size_t bit = TARE_MPI_HEADER_BYTES * 8; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const MpiRank rank = Read(damaged);
    for (std::size_t i = 0; i < rank.events.size(); ++i) {
      EXPECT_EQ(rank.events[i], sound.events[i]) << bit;
    }
    // Padding between chunks is not covered.
    EXPECT_TRUE(!rank.outcome.complete || rank.events.size() == sound.events.size()) << bit;
  }
}

TEST(MpiTrace, AKilledProcessLeavesItsOpenChunk) {
  MpiFileBuilder file(0, 2);
  file.header().state = TARE_MPI_RUNNING;
  file.header().call = TARE_MPI_F_Recv + 1;
  file.header().call_peer = 1;
  file.Predefined().Send(1, 0, 8).Chunk(TARE_MPI_CHUNK_OPEN);
  const MpiRank rank = Read(file.Unsealed() + std::string(4096, '\0'));
  EXPECT_EQ(rank.events.size(), 1u);
  EXPECT_THAT(rank.outcome.reason, HasSubstr("killed"));
  ASSERT_TRUE(rank.outcome.in_progress);
  EXPECT_EQ(rank.outcome.in_progress->function, TARE_MPI_F_Recv);
  EXPECT_EQ(rank.outcome.in_progress->peer, 1);
}

TEST(MpiTrace, OtherVersionsAreRefusedAndBothAreNamed) {
  MpiFileBuilder file(0, 2);
  file.header().version = 9;
  const std::string bytes = file.Bytes();
  const auto reader = MpiRankReader::From(BytesOf(bytes), "file");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().message, "file: MPI trace of version 9; this tare reads version 1");
}

TEST(MpiTrace, AnEventWithARankThatDoesNotExistEndsTheFile) {
  MpiFileBuilder file(0, 2);
  file.Predefined().Send(1, 0, 8).Send(2, 0, 8);
  const MpiRank rank = Read(file.Bytes());
  EXPECT_EQ(rank.events.size(), 1u);
  EXPECT_THAT(rank.outcome.reason, HasSubstr("damaged"));
}

TEST(MpiTrace, AnEndlessListIsRefused) {
  MpiFileBuilder file(0, 2);
  file.Predefined()
      .Event(TARE_MPI_F_Alltoallv, TARE_MPI_LIST)
      .Unsigned(std::uint64_t{1} << 40)
      .Unsigned(std::uint64_t{1} << 40)
      .Unsigned(1);
  EXPECT_TRUE(Read(file.Bytes()).events.empty());
}

TEST(MpiTrace, EveryFunctionAndOperationHasAName) {
  for (int f = 0; f < TARE_MPI_FUNCTION_COUNT; ++f) {
    EXPECT_FALSE(MpiFunctionName(static_cast<MpiFunction>(f)).empty());
  }
  EXPECT_EQ(MpiFunctionName(TARE_MPI_F_Isend), "MPI_Isend");
  EXPECT_EQ(MpiOperationName(OperationOf(TARE_MPI_F_Iallreduce)), "allreduce");
  EXPECT_EQ(MpiOperationName(TARE_MPI_OMP_WAIT), "openmp-wait");
  EXPECT_TRUE(IsCollective(TARE_MPI_FENCE));
  EXPECT_FALSE(IsCollective(TARE_MPI_PUT));
}

}  // namespace
}  // namespace tare::format
