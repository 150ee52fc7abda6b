// replay_turns_test.cc: ranks that share cores, with times that follow by hand.
#include "predict/replay/replay_turns.h"

#include <gtest/gtest.h>

#include "tests/unit/predict/replay/replayed.h"

namespace tare::replay {
namespace {

// One node; taking turns costs 3 us.
Network SharedCores(std::uint32_t cores, double time_slice = 0) {
  Network network = RoundNetwork();
  network.ranks_per_node = 0;
  network.nodes = 1;
  network.cores = cores;
  network.hand_over = Certain(3e-6);
  network.time_slice = time_slice;
  return network;
}

TEST(SharedCores, AMessageWithinACoreTakesTwoOverheadsAndAHandOver) {
  // The latency of 1 us passes meanwhile.
  const auto result = Replayed(PingPong(1000, 5), SharedCores(1));
  EXPECT_NEAR(result.seconds, 10 * (2 * 0.5 + 3) * kMicro, kTolerance);
  // Rank 1 has its first turn at 3.5 us; the others come 3 - 1.1 us after their messages.
  EXPECT_NEAR(result.path.queueing, (3.5 + 9 * 1.9) * kMicro, kTolerance);
  if (SimGridModule().empty()) return;
  EXPECT_NEAR(Replayed(PingPong(1000, 5), SharedCores(1), Engine::kSimGrid).seconds, result.seconds,
              kTolerance);
}

TEST(SharedCores, ComputationIsSliced) {
  MessageProgram program = Ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) RankBuilder(program, rank).Compute(10e-3);
  // 4, 4, 4, 4, 2 ms and 2 ms, with five hand-overs.
  const auto result = Replayed(program, SharedCores(1, 4e-3));
  EXPECT_NEAR(result.ranks[0].end, 18e-3 + 4 * 3 * kMicro, kTolerance);
  EXPECT_NEAR(result.seconds, 20e-3 + 5 * 3 * kMicro, kTolerance);
  EXPECT_NEAR(result.ranks[0].compute, 10e-3, kTolerance);
}

// Ranks 0 and 2 have core 0, ranks 1 and 3 core 1.
TEST(SharedCores, AMessageWaitsForTheEndOfATimeSlice) {
  MessageProgram program = Ranks(4);
  RankBuilder(program, 0).Compute(10e-3);
  RankBuilder(program, 1).Send(2, 0);
  RankBuilder(program, 2).Receive(1);
  const auto result = Replayed(program, SharedCores(2, 4e-3));
  EXPECT_NEAR(result.ranks[2].end, 4e-3 + (3 + 0.5) * kMicro, kTolerance);
  // Without slices it waits for the whole burst.
  EXPECT_NEAR(Replayed(program, SharedCores(2)).ranks[2].end, 10e-3 + (3 + 0.5) * kMicro,
              kTolerance);
}

TEST(SharedCores, RanksThatWaitPollInTurns) {
  MessageProgram program = Ranks(4);
  RankBuilder(program, 0).Receive(1);
  RankBuilder first(program, 1);
  first.Compute(1e-3);
  first.Send(0, 0);
  RankBuilder(program, 2).Receive(3);
  RankBuilder(program, 3).Send(2, 0);
  // The message arrives at 1001.5 us. Rank 0 polls every 6 us, so at 1002; its partner on the core
  // still waits, because rank 3 sends when rank 1 has handed over: at 1000.5 + 3 + 0.5 us.
  const auto result = Replayed(program, SharedCores(2));
  EXPECT_NEAR(result.ranks[0].end, 1002.5 * kMicro, kTolerance);
  // Rank 0 has ended and hands the core over at 1005.5; rank 2 had its message at 1005.
  EXPECT_NEAR(result.ranks[2].end, (1005.5 + 0.5) * kMicro, kTolerance);
}

TEST(SharedCores, ALargeMessageIsCopiedByItsReceiver) {
  MessageProgram program = Ranks(2);
  RankBuilder(program, 0).Send(1, 20'000);
  RankBuilder(program, 1).Receive(0);
  // Overhead, hand-over, copy of 2 us, overhead, hand-over: then the sender sees that it is done.
  const auto result = Replayed(program, SharedCores(1));
  EXPECT_NEAR(result.ranks[1].end, (0.5 + 3 + 2 + 0.5) * kMicro, kTolerance);
  EXPECT_NEAR(result.seconds, (6 + 3) * kMicro, kTolerance);
  EXPECT_EQ(result.messages, 1U);
}

TEST(SharedCores, AReceiverThatComputesCopiesLater) {
  MessageProgram program = Ranks(2);
  RankBuilder(program, 0).Send(1, 20'000);
  RankBuilder second(program, 1);
  const auto receive = second.StartReceive(0);
  second.Compute(1e-3);
  second.Wait(receive);
  // The request was there when the receive was posted: it is copied before the computation.
  const auto result = Replayed(program, SharedCores(1));
  EXPECT_NEAR(result.ranks[1].end, 1e-3 + 6 * kMicro, kTolerance);
  // On cores of their own, the computation overlaps with the message.
  EXPECT_NEAR(Replayed(program, SharedCores(2)).ranks[1].end, 1e-3 + 0.5 * kMicro, kTolerance);
}

TEST(SharedCores, AMessageToARankThatHasEndedComesByItself) {
  MessageProgram program = Ranks(2);
  RankBuilder(program, 0).StartReceive(1);
  RankBuilder second(program, 1);
  second.Compute(1e-3);
  second.Send(0, 20'000);
  // Hand-over, computation, overhead, request, permission, message.
  EXPECT_NEAR(Replayed(program, SharedCores(1)).ranks[1].end,
              1e-3 + (3 + 0.5 + 1 + 1 + 1 + 2) * kMicro, kTolerance);
}

TEST(SharedCores, ARankThatEndsLeavesWhatItWouldHaveCopied) {
  MessageProgram program = Ranks(4);
  RankBuilder first(program, 0);
  first.StartReceive(1);
  first.Compute(1e-6);
  RankBuilder(program, 1).Send(0, 20'000);
  // The request arrives at 1.5 us, 0.5 us after rank 0 has ended, and the message at 4.5 us. Rank 3
  // has core 1 at 3.5 us and ends, so the sender has it at 6.5 us.
  EXPECT_NEAR(Replayed(program, SharedCores(2)).ranks[1].end, 6.5 * kMicro, kTolerance);
}

TEST(SharedCores, RanksAreOnTheCoresOfTheRecording) {
  MessageProgram program = Ranks(3);
  program.cores = 2;
  program.nodes = {0, 0, 0};
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    RankBuilder(program, static_cast<std::int32_t>(rank)).Compute(1e-3);
    program.moves.push_back({0, rank, 0});
  }
  EXPECT_NEAR(Replayed(program, SharedCores(2)).seconds, 3e-3 + 2 * 3 * kMicro, kTolerance);
  // With another number of cores, rank 1 is on core 1.
  program.cores = 3;
  EXPECT_NEAR(Replayed(program, SharedCores(2)).seconds, 2e-3 + 3 * kMicro, kTolerance);
  // Rank 2 goes to the free core although it waits for its turn.
  program.cores = 2;
  program.moves.push_back({0.5e-3, 2, 1});
  EXPECT_NEAR(Replayed(program, SharedCores(2, 0.25e-3)).ranks[2].end,
              (2 * (250 + 3) + 1000) * kMicro, kTolerance);
}

TEST(SharedCores, ARankMovesWhenItHandsItsCoreOver) {
  MessageProgram program = Ranks(3);
  program.cores = 2;
  program.nodes = {0, 0, 0};
  program.moves = {{0, 0, 0}, {0, 1, 1}, {0, 2, 1}, {0.5e-3, 0, 1}};
  RankBuilder(program, 0).Compute(5e-3);
  RankBuilder(program, 1).Compute(2e-3);
  RankBuilder(program, 2).Compute(2e-3);
  // Rank 0 is alone on its core, so it computes to the end. Ranks 1 and 2 are not delayed.
  EXPECT_NEAR(Replayed(program, SharedCores(2, 1e-3)).ranks[0].end, 5e-3, kTolerance);
  // If it waits at 1 ms, it goes to core 1 behind the others: rank 2 has that from 1 to 2 ms, rank
  // 1 until 3 ms, when it sends; three hand-overs and two overheads.
  program.ranks[0].clear();
  RankBuilder first(program, 0);
  first.Compute(1e-3);
  first.Receive(1);
  RankBuilder(program, 1).Send(0, 0);
  const auto result = Replayed(program, SharedCores(2, 1e-3));
  EXPECT_NEAR(result.ranks[0].end, (3000 + 3 * 3 + 2 * 0.5) * kMicro, kTolerance);
}

TEST(SharedCores, RanksOfNodesWithACoreForEachDoNotMove) {
  MessageProgram program = Ranks(5);
  program.cores = 2;
  program.nodes = {0, 0, 1, 1, 1};
  program.moves = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {0, 4, 1}};
  for (std::int32_t rank = 0; rank < 5; ++rank) RankBuilder(program, rank).Compute(1e-3);
  Network network = SharedCores(2);
  network.nodes = 2;
  const auto result = Replayed(program, network);
  EXPECT_NEAR(result.ranks[0].end, 1e-3, kTolerance);
  EXPECT_NEAR(result.ranks[1].end, 1e-3, kTolerance);
  EXPECT_NEAR(result.ranks[2].end, 1e-3, kTolerance);
  EXPECT_NEAR(result.ranks[3].end, 2e-3 + 3 * kMicro, kTolerance);
}

// Rank 0 has core 0, and waits for a message of another node that comes at 10 ms.
TEST(SharedCores, ARankMovesToACoreThatWaits) {
  MessageProgram program = Ranks(4);
  program.cores = 2;
  program.nodes = {0, 0, 0, 1};
  program.moves = {{0, 0, 0}, {0, 1, 1}, {0, 2, 1}, {5e-3, 2, 0}};
  RankBuilder first(program, 0);
  first.Compute(1e-3);
  first.Receive(3);
  RankBuilder(program, 1).Compute(4e-3);
  RankBuilder(program, 2).Compute(4e-3);
  RankBuilder(program, 3).Send(0, 0);
  Network network = SharedCores(2, 1e-3);
  network.nodes = 2;
  network.between.latency = Certain(10e-3);
  // Rank 2 has core 1 until 4.009 ms, and would have it again at 5.015 ms. It has core 0 at its
  // next turn there, 3 us + 669 times 6 us after 1 ms, for two slices; rank 0 polls between them.
  const auto result = Replayed(program, network);
  EXPECT_NEAR(result.ranks[2].end, (5017 + 1000 + 2 * 3 + 1000) * kMicro, kTolerance);
}

TEST(SharedCores, MessagesHaveTheOverheadOfSharedCores) {
  Network network = SharedCores(1);
  network.shared_overhead = Certain(2e-6);
  EXPECT_NEAR(Replayed(PingPong(1000, 5), network).seconds, 10 * (2 * 2 + 3) * kMicro, kTolerance);
  network.cores = 2;
  EXPECT_NEAR(Replayed(PingPong(1000, 5), network).seconds, 10 * 2.1 * kMicro, kTolerance);
}

TEST(SharedCores, EveryCollectiveEnds) {
  for (std::size_t i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    for (const std::uint64_t bytes : {0U, 1000U, 200'000U}) {
      const auto program = OneCollective(9, collective, bytes);
      const auto own = Replayed(program, SharedCores(0));
      const auto shared = Replayed(program, SharedCores(2, 1e-3));
      EXPECT_EQ(shared.unmatched, 0U) << Name(collective);
      EXPECT_GT(shared.seconds, own.seconds) << Name(collective);
    }
  }
}

TEST(SharedCores, ADeadlockIsReported) {
  MessageProgram program = Ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RankBuilder builder(program, rank);
    builder.Send(1 - rank, 1'000'000, 7);
    builder.Receive(1 - rank, 7);
  }
  const auto result = Replay(program, SharedCores(1), {});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("rank 0 waits until rank 1 receives 1000000 bytes"),
            std::string::npos)
      << result.error().message;
}

}  // namespace
}  // namespace tare::replay
