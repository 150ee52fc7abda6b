// mpi_join_test.cc: ranks joined, matched and put on one clock.
#include "measure/mpi/mpi_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/mpi/mpi_matching.h"
#include "measure/mpi/mpi_summary.h"
#include "tests/unit/format/mpi_file.h"

namespace tare::mpi {
namespace {

using format::MpiFileBuilder;
using format::MpiRank;
using testing::ElementsAre;
using testing::HasSubstr;

MpiRank RankOf(MpiFileBuilder& file) {
  const std::string bytes = file.Bytes();
  auto reader = format::MpiRankReader::From(format::BytesOf(bytes), "file");
  EXPECT_TRUE(reader);
  return format::ReadMpiRank(std::move(*reader));
}

std::vector<MpiRank> PingPong() {
  MpiFileBuilder first(0, 2);
  first.Predefined().Send(1, 4, 100).Receive(1, 4, 50);
  MpiFileBuilder second(1, 2);
  second.header().start_ns = 1'000'040;
  second.Predefined().Receive(0, 4, 100).Send(0, 4, 50);
  std::vector<MpiRank> ranks;
  ranks.push_back(RankOf(first));
  ranks.push_back(RankOf(second));
  return ranks;
}

TEST(MpiJoin, EverySendFindsItsReceive) {
  const auto joined = JoinMpiRanks(PingPong());
  ASSERT_TRUE(joined);
  EXPECT_TRUE(joined->caveats.empty());
  const Matching matching = MatchMpiTrace(joined->trace);
  ASSERT_EQ(matching.messages.size(), 2u);
  EXPECT_EQ(matching.message_bytes, 150u);
  EXPECT_EQ(matching.unmatched_sends + matching.unmatched_receives + matching.size_differs, 0u);
}

TEST(MpiJoin, TheFirstInitIsAtZero) {
  const auto joined = JoinMpiRanks(PingPong());
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->trace.clocks[0].offset_ns, 0);
  EXPECT_EQ(joined->trace.clocks[1].offset_ns, 40);
}

TEST(MpiJoin, MessagesBoundTheOffsetOfTwoHosts) {
  auto ranks = PingPong();
  ranks[1].header.boot = "other";
  ranks[1].header.start_ns = 5'000'000;
  // Rank 0 sends at 100 and has its answer at 220, on a clock that began at 1,000,000; rank 1 has
  // the message at 110 and answers at 210, on one that began at 5,000,000. Rank 0's clock is
  // therefore behind by 4,000,010 - t and 3,999,990 + t, for flight times of 0 <= t: 4,000,000
  // +- 10.
  const auto joined = JoinMpiRanks(std::move(ranks));
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->trace.clocks[1].offset_ns, 0);
  EXPECT_EQ(joined->trace.clocks[1].uncertainty_ns, 10u);
}

TEST(MpiJoin, RanksOfDifferentRunsAreRefused) {
  auto ranks = PingPong();
  ranks[1].header.run = 99;
  const auto joined = JoinMpiRanks(std::move(ranks));
  ASSERT_FALSE(joined);
  EXPECT_THAT(joined.error().message, HasSubstr("different runs"));
}

TEST(MpiJoin, TheSameRankTwiceIsRefused) {
  auto ranks = PingPong();
  ranks[1].header.rank = 0;
  const auto joined = JoinMpiRanks(std::move(ranks));
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().message, "there are two files of rank 0");
}

TEST(MpiJoin, AMissingRankIsStated) {
  auto ranks = PingPong();
  ranks.pop_back();
  const auto joined = JoinMpiRanks(std::move(ranks));
  ASSERT_TRUE(joined);
  ASSERT_EQ(joined->caveats.size(), 1u);
  EXPECT_THAT(joined->caveats[0].detail, HasSubstr("rank 1: there is no file"));
  const Matching matching = MatchMpiTrace(joined->trace);
  EXPECT_EQ(matching.unmatched_sends, 1u);
  EXPECT_EQ(matching.unmatched_receives, 1u);
  EXPECT_THAT(matching.problems[0], HasSubstr("rank 0 to rank 1 (tag 4) has no receive"));
}

// Ranks 0 and 2 split from the world, then 1 and 3; each pair has a number of its own in each rank.
TEST(MpiJoin, CommunicatorsOfOneSplitAreDistinguishedByTheirMembers) {
  std::vector<MpiRank> ranks;
  for (std::uint32_t r = 0; r < 4; ++r) {
    MpiFileBuilder file(r, 4);
    file.Predefined()
        .Byte(TARE_MPI_DEFINE_COMM)
        .Unsigned(2)
        .Unsigned(TARE_MPI_COMM_INTRA)
        .Unsigned(1)
        .Unsigned(1)
        .Signed(r % 2)
        .Signed(2)
        .Unsigned(2)
        .Event(TARE_MPI_F_Comm_split, TARE_MPI_NEW_COMM)
        .Unsigned(2)
        .Event(TARE_MPI_F_Barrier, TARE_MPI_COMM)
        .Unsigned(2);
    ranks.push_back(RankOf(file));
  }
  const auto joined = JoinMpiRanks(std::move(ranks));
  ASSERT_TRUE(joined);
  const auto& trace = joined->trace;
  const auto used = [&trace](std::size_t rank) { return trace.ranks[rank].events[1].communicator; };
  EXPECT_EQ(used(0), used(2));
  EXPECT_EQ(used(1), used(3));
  EXPECT_NE(used(0), used(1));
  EXPECT_THAT(trace.communicators[used(1)].members, ElementsAre(1, 3));
  EXPECT_EQ(trace.communicators[used(1)].parent, TARE_MPI_WORLD);
  const Matching matching = MatchMpiTrace(trace);
  EXPECT_EQ(matching.collectives, 3u);
  EXPECT_EQ(matching.unmatched_collectives, 0u);
}

TEST(MpiJoin, DifferentCollectivesAreNamed) {
  std::vector<MpiRank> ranks;
  for (std::uint32_t r = 0; r < 2; ++r) {
    MpiFileBuilder file(r, 2);
    file.Predefined().Event(r == 0 ? TARE_MPI_F_Barrier : TARE_MPI_F_Allreduce, 0);
    ranks.push_back(RankOf(file));
  }
  const auto joined = JoinMpiRanks(std::move(ranks));
  ASSERT_TRUE(joined);
  const Matching matching = MatchMpiTrace(joined->trace);
  EXPECT_EQ(matching.unmatched_collectives, 1u);
  ASSERT_EQ(matching.problems.size(), 1u);
  EXPECT_THAT(matching.problems[0], HasSubstr("barrier in rank 0 and allreduce in rank 1"));
}

TEST(MpiJoin, FourThousandRanksWithAHundredMessagesEach) {
  constexpr std::uint32_t kRanks = 4096;
  std::vector<MpiRank> ranks;
  for (std::uint32_t r = 0; r < kRanks; ++r) {
    MpiFileBuilder file(r, kRanks);
    file.Predefined();
    for (int i = 0; i < 100; ++i) {
      file.Send(static_cast<std::int32_t>((r + 1) % kRanks), i % 3, 8);
      file.Receive(static_cast<std::int32_t>((r + kRanks - 1) % kRanks), i % 3, 8);
    }
    ranks.push_back(RankOf(file));
  }
  const auto joined = JoinMpiRanks(std::move(ranks));
  ASSERT_TRUE(joined);
  const Matching matching = MatchMpiTrace(joined->trace);
  EXPECT_EQ(matching.messages.size(), 409'600u);
  EXPECT_EQ(matching.unmatched_sends + matching.unmatched_receives, 0u);
}

TEST(MpiJoin, FileNamesAreParsed) {
  EXPECT_EQ(ParseMpiFileName("x/rank-12.mpi")->rank, 12u);
  EXPECT_EQ(ParseMpiFileName("x/job-3-rank-0.mpi")->job, 3u);
  for (const char* name : {"rank-.mpi", "rank-1", "rank-1.mpi~", "job-rank-1.mpi", "rank--1.mpi"}) {
    EXPECT_FALSE(ParseMpiFileName(name)) << name;
  }
}

TEST(MpiSummary, CountsMessagesAndTime) {
  const auto joined = JoinMpiRanks(PingPong());
  ASSERT_TRUE(joined);
  const MpiSummary summary = SummariseMpi(joined->trace);
  EXPECT_EQ(summary.ranks[0].messages, 1u);
  EXPECT_EQ(summary.ranks[0].message_bytes, 100u);
  EXPECT_DOUBLE_EQ(summary.ranks[0].mpi_seconds, 20e-9);
  ASSERT_EQ(summary.sizes.size(), 2u);
  EXPECT_EQ(summary.sizes[1].bucket, 7u);  // 100 bytes: 64 to 127
}

TEST(OffProcessor, IsStatedFromATenthOn) {
  EXPECT_FALSE(OffProcessor(1, 0.95));
  EXPECT_FALSE(OffProcessor(1, 1.8));      // several threads
  EXPECT_FALSE(OffProcessor(1e-4, 1e-5));  // too short to matter
  const auto caveat = OffProcessor(4, 1);
  ASSERT_TRUE(caveat);
  EXPECT_EQ(caveat->key, CaveatId::kOffProcessor);
  EXPECT_EQ(caveat->detail, "off it for 75 % of the time");
}

}  // namespace
}  // namespace tare::mpi
