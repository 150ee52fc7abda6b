// mpi_trace_test.cc: files of MPI processes, whole, cut and damaged.
#include "format/mpi_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/format/mpi_file.h"

namespace tare::format {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Two places, and a region of two threads.
void AddOpenMp(MpiFileBuilder& file) {
  file.Byte(TARE_MPI_OPENMP_PLACE).Unsigned(1).Unsigned(0x1234).Text("");
  file.Byte(TARE_MPI_OPENMP_PLACE).Unsigned(2).Unsigned(0x40).Text("/lib/x.so");
  file.Byte(TARE_MPI_OPENMP_BLOCK).Unsigned(0).Signed(-50).Unsigned(4);
  file.OpenMp(TARE_OPENMP_FORK, 250, 0).Unsigned(7).Unsigned(2);
  file.OpenMp(TARE_OPENMP_BEGIN, 10, 4).Unsigned(7).Unsigned(0).Unsigned(2);
  file.OpenMp(TARE_OPENMP_ARRIVE, 1000, 0).Unsigned(TARE_OPENMP_IMPLICIT);
  file.OpenMp(TARE_OPENMP_JOIN, 500, 500).Unsigned(7);
  file.Byte(TARE_MPI_OPENMP_BLOCK).Unsigned(3).Signed(220).Unsigned(1);
  file.OpenMp(TARE_OPENMP_BEGIN, 0, 0).Unsigned(7).Unsigned(1).Unsigned(2);
}

MpiFileBuilder TwoChunks() {
  MpiFileBuilder file(1, 4);
  AddOpenMp(file.Predefined());
  file.Event(TARE_MPI_F_Init, TARE_MPI_CPU, 0)
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

TEST(MpiTrace, OpenMpEventsHaveTheirThreadsAndTimes) {
  const MpiRank rank = Read(TwoChunks().Bytes());
  const OpenMpTrace& openmp = rank.openmp;
  EXPECT_EQ(openmp.places, (std::vector<OpenMpPlace>{{0x1234, ""}, {0x40, "/lib/x.so"}}));
  ASSERT_EQ(openmp.events.size(), 5u);
  EXPECT_EQ(openmp.events[0],
            (OpenMpEvent{
                .kind = TARE_OPENMP_FORK, .place = 2, .region = 7, .time_ns = 200, .cpu_ns = 250}));
  EXPECT_EQ(
      openmp.events[1],
      (OpenMpEvent{
          .kind = TARE_OPENMP_BEGIN, .threads = 2, .region = 7, .time_ns = 210, .cpu_ns = 6}));
  EXPECT_EQ(openmp.events[2], (OpenMpEvent{.kind = TARE_OPENMP_ARRIVE,
                                           .wait = TARE_OPENMP_IMPLICIT,
                                           .time_ns = 1210,
                                           .cpu_ns = 1000}));
  EXPECT_EQ(openmp.events[3],
            (OpenMpEvent{.kind = TARE_OPENMP_JOIN, .region = 7, .time_ns = 1710}));
  EXPECT_EQ(openmp.events[4], (OpenMpEvent{.kind = TARE_OPENMP_BEGIN,
                                           .thread = 3,
                                           .index = 1,
                                           .threads = 2,
                                           .region = 7,
                                           .time_ns = 220}));
  // They do not change the times of calls.
  EXPECT_EQ(rank.events[1].start_ns, 110);
}

TEST(MpiTrace, DamagedOpenMpRecordsEndTheFileAndLeaveNoPart) {
  const auto events_after = [](const auto& add) {
    MpiFileBuilder file(0, 2);
    file.Predefined().Send(1, 0, 8);
    add(file);
    file.Send(1, 0, 8);
    const MpiRank rank = Read(file.Bytes());
    EXPECT_TRUE(rank.openmp.events.empty());
    EXPECT_FALSE(rank.outcome.complete);
    EXPECT_THAT(rank.outcome.reason, HasSubstr("damaged"));
    return rank.events.size();
  };
  const auto block = [](MpiFileBuilder& file, std::uint64_t thread,
                        std::uint64_t count) -> MpiFileBuilder& {
    return file.Byte(TARE_MPI_OPENMP_BLOCK).Unsigned(thread).Signed(0).Unsigned(count);
  };
  // A thread number that does not fit, more events than bytes, an unknown event, more time without
  // CPU time than time, a place that is not defined, an unknown wait, a place out of order.
  EXPECT_EQ(events_after([&](auto& file) { block(file, 70'000, 0); }), 1u);
  EXPECT_EQ(events_after([&](auto& file) { block(file, 0, 1'000'000); }), 1u);
  EXPECT_EQ(events_after([&](auto& file) {
              block(file, 0, 2).OpenMp(TARE_OPENMP_JOIN, 1, 0).Unsigned(1).Byte(200);
            }),
            1u);
  EXPECT_EQ(events_after(
                [&](auto& file) { block(file, 0, 1).OpenMp(TARE_OPENMP_JOIN, 1, 2).Unsigned(1); }),
            1u);
  EXPECT_EQ(events_after([&](auto& file) {
              block(file, 0, 1).OpenMp(TARE_OPENMP_FORK, 1, 0).Unsigned(1).Unsigned(1);
            }),
            1u);
  EXPECT_EQ(events_after([&](auto& file) {
              block(file, 0, 1).OpenMp(TARE_OPENMP_ARRIVE, 1, 0).Unsigned(TARE_OPENMP_WAITS);
            }),
            1u);
  EXPECT_EQ(events_after([&](auto& file) {
              file.Byte(TARE_MPI_OPENMP_PLACE).Unsigned(2).Unsigned(0).Text("");
            }),
            1u);
}

TEST(MpiTrace, EventsAreOnTheCoreOfTheRecordBeforeThem) {
  MpiFileBuilder file(0, 2);
  file.Predefined().Send(1, 0, 8).Byte(TARE_MPI_CORE).Unsigned(5).Send(1, 0, 8).Send(1, 0, 8);
  // A chunk does not depend on the one before.
  file.Chunk().Send(1, 0, 8).Byte(TARE_MPI_CORE).Unsigned(1).Send(1, 0, 8);
  const MpiRank rank = Read(file.Bytes());
  EXPECT_TRUE(rank.outcome.complete) << rank.outcome.reason;
  std::vector<std::int32_t> cores;
  for (const MpiEvent& event : rank.events) cores.push_back(event.core);
  EXPECT_THAT(cores, testing::ElementsAre(TARE_MPI_NO_CORE, 5, 5, TARE_MPI_NO_CORE, 1));
  MpiFileBuilder damaged(0, 2);
  damaged.Predefined().Send(1, 0, 8).Byte(TARE_MPI_CORE).Unsigned(1U << 30).Send(1, 0, 8);
  EXPECT_EQ(Read(damaged.Bytes()).events.size(), 1u);
}

TEST(MpiTrace, FilesOfVersionOneAreRead) {
  MpiFileBuilder file(0, 2);
  file.header().version = 1;
  file.Predefined().Send(1, 0, 8);
  const MpiRank rank = Read(file.Bytes());
  EXPECT_TRUE(rank.outcome.complete) << rank.outcome.reason;
  EXPECT_EQ(rank.events.size(), 1u);
  EXPECT_EQ(rank.header.openmp, TARE_MPI_OPENMP_NONE);
}

TEST(MpiTrace, AProcessWithoutMpiIsCompleteWhenItExited) {
  for (const bool without_mpi : {true, false}) {
    MpiFileBuilder file(0, 1);
    file.header().state = TARE_MPI_EXITED;
    file.header().openmp = TARE_MPI_OPENMP_OMPT;
    if (without_mpi) file.header().flags = TARE_MPI_HEADER_NO_MPI;
    AddOpenMp(file);
    const MpiRank rank = Read(file.Bytes());
    EXPECT_EQ(rank.outcome.complete, without_mpi);
    EXPECT_EQ(rank.header.is_without_mpi, without_mpi);
    EXPECT_EQ(rank.header.openmp, TARE_MPI_OPENMP_OMPT);
    EXPECT_EQ(rank.openmp.events.size(), 5u);
  }
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
    EXPECT_EQ(rank.openmp.events.size(), rank.events.empty() ? 0u : 5u) << bytes;
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
    for (std::size_t i = 0; i < rank.openmp.events.size(); ++i) {
      EXPECT_EQ(rank.openmp.events[i], sound.openmp.events[i]) << bit;
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
  EXPECT_EQ(reader.error().message,
            "file: MPI trace of version 9; this tare reads versions 1 to 3");
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
  EXPECT_EQ(MpiOperationName(TARE_MPI_IO), "io");
  EXPECT_TRUE(IsCollective(TARE_MPI_FENCE));
  EXPECT_FALSE(IsCollective(TARE_MPI_PUT));
}

}  // namespace
}  // namespace tare::format
