// replay_test.cc: patterns whose times follow from the parameters by hand.
#include "predict/replay/replay.h"

#include <gtest/gtest.h>

#include "tests/unit/predict/replay/replayed.h"

namespace tare::replay {
namespace {

TEST(Replay, AnEagerPingPongTakesTwoOverheadsLatencyAndTransmissionPerMessage) {
  // o + L + k G + o = 1 + 10 + 1 + 1 us for 1,000 bytes.
  EXPECT_NEAR(Replayed(PingPong(1000, 5), RoundNetwork()).seconds, 10 * 13 * kMicro, kTolerance);
}

TEST(Replay, ARendezvousAsksFirst) {
  // 20,000 bytes are above the limit: o, L for the request, L for the answer, L + 20 us, o. The
  // receiver is there before the request.
  const double once = (1 + 10 + 10 + 10 + 20 + 1) * kMicro;
  const auto result = Replayed(PingPong(20'000, 1), RoundNetwork());
  // The first sender is free at arrival, and posts its receive an overhead before the second sends.
  EXPECT_NEAR(result.seconds, 2 * once, kTolerance);
}

TEST(Replay, AHandshakeIsAddedToMessagesAboveTheLimit) {
  Network network = RoundNetwork();
  network.between.handshake = Certain(3e-6);
  EXPECT_NEAR(Replayed(PingPong(20'000, 1), network).seconds, 2 * (52 + 3) * kMicro, kTolerance);
  EXPECT_NEAR(Replayed(PingPong(1000, 1), network).seconds, 2 * 13 * kMicro, kTolerance);
}

TEST(Replay, ASendAboveTheLimitWaitsForItsReceiver) {
  MessageProgram program = Ranks(2);
  RankBuilder(program, 0).Send(1, 20'000);
  RankBuilder second(program, 1);
  second.Compute(1e-3);
  second.Receive(0);
  const auto result = Replayed(program, RoundNetwork());
  // Permission L, message L + 20 us, overhead.
  EXPECT_NEAR(result.seconds, 1e-3 + (10 + 10 + 20 + 1) * kMicro, kTolerance);
  EXPECT_NEAR(result.ranks[0].wait, 1e-3 - 1 * kMicro + 1 * kMicro, kTolerance);
  EXPECT_NEAR(result.ranks[1].compute, 1e-3, kTolerance);
}

TEST(Replay, AnEagerSendDoesNotWait) {
  MessageProgram program = Ranks(2);
  RankBuilder(program, 0).Send(1, 1000);
  RankBuilder second(program, 1);
  second.Compute(1e-3);
  second.Receive(0);
  const auto result = Replayed(program, RoundNetwork());
  EXPECT_NEAR(result.seconds, 1e-3 + 1 * kMicro, kTolerance);
  EXPECT_NEAR(result.ranks[0].end, 1 * kMicro, kTolerance);
}

TEST(Replay, ASynchronousSendOfFewBytesWaits) {
  MessageProgram program = Ranks(2);
  RankBuilder first(program, 0);
  first.Wait(first.StartSend(1, 8, 0, 0, true));
  RankBuilder second(program, 1);
  second.Compute(1e-3);
  second.Receive(0);
  EXPECT_GT(Replayed(program, RoundNetwork()).ranks[0].end, 1e-3);
}

TEST(Replay, ATokenGoesAroundARing) {
  constexpr std::size_t kRanks = 8;
  MessageProgram program = Ranks(kRanks);
  for (std::int32_t rank = 0; rank < 8; ++rank) {
    RankBuilder builder(program, rank);
    if (rank > 0) builder.Receive(rank - 1);
    builder.Send((rank + 1) % 8, 1000);
    if (rank == 0) builder.Receive(7);
  }
  const auto result = Replayed(program, RoundNetwork());
  EXPECT_NEAR(result.seconds, 8 * 13 * kMicro, kTolerance);
  EXPECT_EQ(result.path.messages, 8);
  EXPECT_EQ(result.path.bytes, 8000);
  EXPECT_EQ(result.path.parts.size(), kRanks + 1);
}

TEST(Replay, NonblockingMessagesOverlapWithComputation) {
  MessageProgram program = Ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RankBuilder builder(program, rank);
    const auto receive = builder.StartReceive(1 - rank);
    const auto send = builder.StartSend(1 - rank, 9000);
    builder.Compute(1e-3);
    builder.Wait(receive);
    builder.Wait(send);
  }
  // Only the two overheads remain.
  EXPECT_NEAR(Replayed(program, RoundNetwork()).seconds, 1e-3 + 2 * kMicro, kTolerance);
}

MessageProgram OneCollective(std::size_t ranks, Collective collective, std::uint64_t bytes,
                             std::int32_t root = 0) {
  MessageProgram program = Ranks(ranks);
  for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(ranks); ++rank) {
    RankBuilder(program, rank).AddCollective(collective, bytes, root);
  }
  return program;
}

TEST(Replay, ABinomialBroadcastTakesTheLogarithmOfTheRanks) {
  // The root sends to the farthest child first; each level costs a message of 13 us. The root's
  // links are busy 1 us per message, behind which the overhead of the next send hides.
  EXPECT_NEAR(Replayed(OneCollective(2, Collective::kBroadcast, 1000), RoundNetwork()).seconds,
              13 * kMicro, kTolerance);
  EXPECT_NEAR(Replayed(OneCollective(4, Collective::kBroadcast, 1000), RoundNetwork()).seconds,
              2 * 13 * kMicro, kTolerance);
  EXPECT_NEAR(Replayed(OneCollective(8, Collective::kBroadcast, 1000, 5), RoundNetwork()).seconds,
              3 * 13 * kMicro, kTolerance);
}

TEST(Replay, RecursiveDoublingExchangesOncePerLevel) {
  for (const auto& [ranks, rounds] : {std::pair(2, 1), {4, 2}, {16, 4}}) {
    const auto program =
        OneCollective(static_cast<std::size_t>(ranks), Collective::kAllreduce, 1000);
    EXPECT_NEAR(Replayed(program, RoundNetwork()).seconds, rounds * 13 * kMicro, kTolerance);
  }
}

TEST(Replay, ARingAllreducePassesEveryBlockTwice) {
  Network network = RoundNetwork();
  network.algorithms[static_cast<std::size_t>(Collective::kAllreduce)] = Algorithm::kRing;
  // 2 (P - 1) steps of 8,000 / 4 bytes: 1 + 10 + 2 + 1 us each.
  EXPECT_NEAR(Replayed(OneCollective(4, Collective::kAllreduce, 8000), network).seconds,
              6 * 14 * kMicro, kTolerance);
}

TEST(Replay, APairwiseAlltoallHasAMessagePerPartner) {
  Network network = RoundNetwork();
  network.algorithms[static_cast<std::size_t>(Collective::kAlltoall)] = Algorithm::kPairwise;
  EXPECT_NEAR(Replayed(OneCollective(4, Collective::kAlltoall, 1000), network).seconds,
              3 * 13 * kMicro, kTolerance);
}

TEST(Replay, ADisseminationBarrierTakesTheLogarithmOfTheRanks) {
  EXPECT_NEAR(Replayed(OneCollective(5, Collective::kBarrier, 0), RoundNetwork()).seconds,
              3 * 12 * kMicro, kTolerance);
}

TEST(Replay, EveryCollectiveEndsWithEveryAlgorithmAndSize) {
  for (std::size_t i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    for (const Algorithm algorithm : AlgorithmsOf(collective)) {
      Network network = RoundNetwork();
      network.algorithms[i] = algorithm;
      for (std::size_t ranks = 1; ranks <= 17; ++ranks) {
        for (const std::uint64_t bytes : {0U, 1U, 1000U, 200'000U}) {
          const auto program =
              OneCollective(ranks, collective, bytes, static_cast<std::int32_t>(ranks / 2));
          const auto result = Replay(program, network, {});
          ASSERT_TRUE(result) << Name(collective) << " " << Name(algorithm) << " " << ranks << ": "
                              << result.error().message;
          EXPECT_EQ(result->unmatched, 0U) << Name(collective) << " " << Name(algorithm);
          EXPECT_EQ(result->seconds > 0, ranks > 1) << Name(collective) << " " << Name(algorithm);
        }
      }
    }
  }
}

TEST(Replay, TwoMessagesToOneRankShareItsLink) {
  MessageProgram program = Ranks(3);
  RankBuilder(program, 0).Send(2, 9000);
  RankBuilder(program, 1).Send(2, 9000);
  RankBuilder third(program, 2);
  third.Receive(0);
  third.Receive(1);
  Network network = RoundNetwork();
  // 1 + 10 + 9 us, then 9 us for the other, then one overhead.
  EXPECT_NEAR(Replayed(program, network).seconds, 30 * kMicro, kTolerance);
  network.links_in = 0;
  EXPECT_NEAR(Replayed(program, network).seconds, 22 * kMicro, kTolerance);
}

TEST(Replay, OneBusServesOneMessageAtATime) {
  MessageProgram program = Ranks(4);
  RankBuilder(program, 0).Send(1, 9000);
  RankBuilder(program, 2).Send(3, 9000);
  RankBuilder(program, 1).Receive(0);
  RankBuilder(program, 3).Receive(2);
  Network network = RoundNetwork();
  EXPECT_NEAR(Replayed(program, network).seconds, 21 * kMicro, kTolerance);
  network.buses = 1;
  EXPECT_NEAR(Replayed(program, network).seconds, 30 * kMicro, kTolerance);
}

TEST(Replay, RanksOfOneNodeUseItsMemory) {
  Network network = RoundNetwork();
  network.ranks_per_node = 2;
  // 0.5 + 1 + 0.1 + 0.5 us.
  EXPECT_NEAR(Replayed(PingPong(1000, 1), network).seconds, 2 * 2.1 * kMicro, kTolerance);
}

TEST(Replay, MoreRanksThanCoresTakeTurns) {
  MessageProgram program = Ranks(4);
  for (std::int32_t rank = 0; rank < 4; ++rank) RankBuilder(program, rank).Compute(1e-3);
  Network network = RoundNetwork();
  network.ranks_per_node = 4;
  EXPECT_NEAR(Replayed(program, network).seconds, 1e-3, kTolerance);
  network.cores = 2;
  EXPECT_NEAR(Replayed(program, network).seconds, 2e-3, kTolerance);
}

TEST(Replay, AProcessorRatioScalesComputationOnly) {
  MessageProgram program = PingPong(1000, 1);
  RankBuilder(program, 0).Compute(1e-3);
  const auto result = Replay(program, RoundNetwork(), {.compute_factors = {0.5}});
  ASSERT_TRUE(result);
  EXPECT_NEAR(result->seconds, 26 * kMicro + 0.5e-3, kTolerance);
  const auto each = Replay(program, RoundNetwork(), {.compute_factors = {2.0, 1.0}});
  ASSERT_TRUE(each);
  EXPECT_NEAR(each->seconds, 26 * kMicro + 2e-3, kTolerance);
}

TEST(Replay, ADeadlockNamesWhoWaitsForWhat) {
  MessageProgram program = Ranks(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RankBuilder builder(program, rank);
    builder.Send(1 - rank, 1'000'000, 7);
    builder.Receive(1 - rank, 7);
  }
  const auto result = Replay(program, RoundNetwork(), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(
      result.error().message,
      "the replay comes to a deadlock: 2 of 2 ranks cannot go on: rank 0 waits until rank 1 "
      "receives 1000000 bytes, tag 7; rank 1 waits until rank 0 receives 1000000 bytes, tag 7");
}

TEST(Replay, AMissingMessageIsADeadlockAndAnExtraOneIsUnmatched) {
  MessageProgram lacking = Ranks(2);
  RankBuilder(lacking, 1).Receive(0, 3);
  const auto result = Replay(lacking, RoundNetwork(), {});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("rank 1 waits for a message from rank 0, tag 3"),
            std::string::npos);
  MessageProgram extra = Ranks(2);
  RankBuilder(extra, 0).Send(1, 80, 3);
  const auto replayed = Replay(extra, RoundNetwork(), {});
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed->unmatched, 1U);
  EXPECT_EQ(replayed->first_unmatched, "rank 0 to rank 1, tag 3, 80 bytes");
}

TEST(Replay, NonblockingCollectivesOverlap) {
  MessageProgram program = Ranks(4);
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    RankBuilder builder(program, rank);
    const auto first = builder.StartCollective(Collective::kAllreduce, 1000, 0, 0, 0);
    const auto second = builder.StartCollective(Collective::kBarrier, 0, 0, 0, 1);
    builder.Compute(1e-3);
    // In different orders.
    builder.Wait(rank % 2 == 0 ? first : second);
    builder.Wait(rank % 2 == 0 ? second : first);
  }
  EXPECT_NEAR(Replayed(program, RoundNetwork()).seconds, 1e-3, kTolerance);
}

TEST(Replay, AGetTravelsTwiceAndAPutOnce) {
  MessageProgram program = Ranks(2);
  RankBuilder first(program, 0);
  first.Wait(first.Put(1, 1000));
  EXPECT_NEAR(Replayed(program, RoundNetwork()).seconds, 12 * kMicro, kTolerance);
  first.Wait(first.Get(1, 1000));
  EXPECT_NEAR(Replayed(program, RoundNetwork()).seconds, (12 + 22) * kMicro, kTolerance);
}

TEST(Replay, TooFewNodesAreRejected) {
  Network network = RoundNetwork();
  network.nodes = 2;
  const auto result = Replay(OneCollective(3, Collective::kBarrier, 0), network, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(result.error().message,
            "3 ranks need 3 nodes, but network round has 2; set ranks_per_node or enlarge the "
            "topology");
}

TEST(Replay, AbsurdParametersAreRejected) {
  Network network = RoundNetwork();
  network.between.latency = Certain(1e9);
  EXPECT_FALSE(Replay(PingPong(8, 1), network, {}));
  network = RoundNetwork();
  network.between.bandwidth = Certain(0);
  EXPECT_FALSE(Replay(PingPong(8, 1), network, {}));
  network.between.bandwidth = Certain(1);
  // 11 days per message at most, so that times do not overflow.
  EXPECT_FALSE(Replay(PingPong(UINT64_MAX, 10), network, {}));
}

TEST(Replay, EfficiencySplitsIntoItsFactors) {
  MessageProgram program = Ranks(2);
  RankBuilder first(program, 0);
  RankBuilder second(program, 1);
  first.Compute(2e-3);
  first.Send(1, 1000);
  second.Receive(0);
  second.Compute(1e-3);
  const Network network = RoundNetwork();
  const auto real = Replayed(program, network);
  const auto ideal = Replayed(program, IdealNetwork(network));
  const Efficiency efficiency = EfficiencyOf(real, ideal);
  EXPECT_NEAR(ideal.seconds, 3e-3, 1e-9);
  EXPECT_NEAR(efficiency.balance, 0.75, 1e-9);
  EXPECT_NEAR(efficiency.serialization, 2.0 / 3, 1e-6);
  EXPECT_NEAR(efficiency.transfer, 3e-3 / 3.013e-3, 1e-6);
  EXPECT_NEAR(efficiency.parallel,
              efficiency.balance * efficiency.serialization * efficiency.transfer, 1e-9);
}

// Without contention, SimGrid's flows take latency plus bytes over bandwidth, too.
TEST(Engines, AgreeWithoutContention) {
  if (SimGridModule().empty()) GTEST_SKIP() << "built without SimGrid";
  std::vector<MessageProgram> programs;
  programs.push_back(PingPong(1000, 20));
  programs.push_back(PingPong(500'000, 20));
  programs.push_back(OneCollective(16, Collective::kAllreduce, 800));
  programs.push_back(OneCollective(16, Collective::kAllreduce, 800'000));
  programs.push_back(OneCollective(16, Collective::kBroadcast, 8));
  programs.push_back(OneCollective(13, Collective::kBarrier, 0));
  programs.push_back(OneCollective(8, Collective::kAlltoall, 50'000));
  for (TopologyKind kind : {TopologyKind::kFlat, TopologyKind::kStar}) {
    Network network = RoundNetwork();
    network.topology.kind = kind;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const double ours = Replayed(programs[i], network).seconds;
      const double theirs = Replayed(programs[i], network, Engine::kSimGrid).seconds;
      EXPECT_NEAR(ours / theirs, 1.0, 0.02) << "program " << i;
    }
  }
}

TEST(Engines, SimGridSharesTheLinksOfATopology) {
  if (SimGridModule().empty()) GTEST_SKIP() << "built without SimGrid";
  MessageProgram program = Ranks(16);
  for (std::int32_t rank = 0; rank < 8; ++rank) {
    RankBuilder(program, rank).Send(rank + 8, 1'000'000);
    RankBuilder(program, rank + 8).Receive(rank);
  }
  Network network = RoundNetwork();
  const double alone = Replayed(program, network, Engine::kSimGrid).seconds;
  EXPECT_NEAR(alone, 1.03e-3, 0.02e-3);
  network.topology.kind = TopologyKind::kBackbone;
  network.topology.backbone_bandwidth = 1e9;
  EXPECT_NEAR(Replayed(program, network, Engine::kSimGrid).seconds, 8e-3, 0.1e-3);
  // Two leaves of 8 nodes with one link between them.
  network.topology.kind = TopologyKind::kFatTree;
  network.topology.dimensions = {8, 2};
  network.topology.parents = {1, 1};
  EXPECT_NEAR(Replayed(program, network, Engine::kSimGrid).seconds, 8e-3, 0.1e-3);
  network.topology.kind = TopologyKind::kTorus;
  network.topology.dimensions = {4, 4};
  EXPECT_GT(Replayed(program, network, Engine::kSimGrid).seconds, alone);
  network.topology.kind = TopologyKind::kDragonfly;
  network.topology.dimensions = {2, 2, 2, 2};
  EXPECT_GT(Replayed(program, network, Engine::kSimGrid).seconds, alone);
}

TEST(Engines, SimGridReportsADeadlock) {
  if (SimGridModule().empty()) GTEST_SKIP() << "built without SimGrid";
  MessageProgram program = Ranks(2);
  RankBuilder(program, 1).Receive(0, 3);
  const auto result =
      Replay(program, RoundNetwork(), {.engine = Engine::kSimGrid, .simgrid = SimGridModule()});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("deadlock"), std::string::npos) << result.error().message;
}

TEST(Engines, SimGridNeedsItsModule) {
  const MessageProgram program = PingPong(1000, 1);
  const auto none = Replay(program, RoundNetwork(), {.engine = Engine::kSimGrid});
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().message.starts_with("there is no module tare-simgrid.so"));
  const auto other =
      Replay(program, RoundNetwork(), {.engine = Engine::kSimGrid, .simgrid = "/no/such.so"});
  ASSERT_FALSE(other);
  EXPECT_TRUE(other.error().message.starts_with("cannot load SimGrid: ")) << other.error().message;
}

}  // namespace
}  // namespace tare::replay
