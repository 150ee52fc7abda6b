// recorded_program_test.cc: recorded calls as actions.
#include "predict/replay/recorded_program.h"

#include <gtest/gtest.h>

#include <array>

#include "predict/replay/replay.h"
#include "tests/unit/predict/replay/example_network.h"

namespace tare::replay {
namespace {

// Calls of one rank, each after 1 ms of computation (0.5 ms of processor time) and 10 us long.
class Recorded {
 public:
  explicit Recorded(format::MpiRank& rank) : rank_(&rank) { Add(TARE_MPI_F_Init, {}); }

  format::MpiEvent& Add(format::MpiFunction function, format::MpiEvent event) {
    event.function = function;
    event.operation = format::OperationOf(function);
    now_ += 1'000'000;
    event.start_ns = now_;
    now_ += 10'000;
    event.end_ns = now_;
    event.burst_cpu_ns = 500'000;
    rank_->events.push_back(event);
    return rank_->events.back();
  }

  void Complete(std::vector<format::MpiCompletion> completions) {
    auto& event = Add(TARE_MPI_F_Waitall, {});
    event.completions = {static_cast<std::uint32_t>(rank_->completions.size()),
                         static_cast<std::uint32_t>(completions.size())};
    rank_->completions.insert(rank_->completions.end(), completions.begin(), completions.end());
  }

 private:
  format::MpiRank* rank_;
  std::int64_t now_ = 0;
};

format::MpiTrace TraceOf(std::size_t ranks) {
  format::MpiTrace trace;
  trace.ranks.resize(ranks);
  trace.clocks.resize(ranks);
  format::MpiCommunicator world;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    world.members.push_back(static_cast<std::int32_t>(rank));
  }
  trace.communicators.push_back(world);
  return trace;
}

format::MpiEvent To(std::int32_t peer, std::uint64_t bytes, std::int32_t tag = 0,
                    std::uint32_t request = 0) {
  format::MpiEvent event;
  event.peer = peer;
  event.bytes = bytes;
  event.tag = tag;
  event.request = request;
  return event;
}

std::vector<ActionKind> Kinds(const std::vector<Action>& actions) {
  std::vector<ActionKind> kinds;
  for (const Action& action : actions) kinds.push_back(action.kind);
  return kinds;
}

TEST(TraceProgram, RanksThatSharedCoresMoveAsRecorded) {
  auto trace = TraceOf(3);
  const auto record = [&](std::size_t number, std::array<std::int32_t, 3> cores) {
    Recorded rank(trace.ranks[number]);
    rank.Add(TARE_MPI_F_Barrier, {});
    rank.Add(TARE_MPI_F_Barrier, {});
    for (std::size_t i = 0; i < 3; ++i) trace.ranks[number].events[i].core = cores[i];
    rank.Add(TARE_MPI_F_Finalize, {}).core = cores[2];
  };
  record(0, {4, 4, 6});
  record(1, {6, 6, 6});
  record(2, {4, 4, 4});
  const auto program = ProgramOf(trace, BurstTime::kCpu);
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->program.cores, 2U);
  // MPI_Init returned at 1.01 ms, the barriers at 2.02 and 3.03 ms: it moved between these.
  const auto& moves = program->program.moves;
  ASSERT_EQ(moves.size(), 4U);
  EXPECT_EQ(moves[0], (CoreMove{0, 0, 0}));
  EXPECT_EQ(moves[1], (CoreMove{0, 1, 1}));
  EXPECT_EQ(moves[2], (CoreMove{0, 2, 0}));
  EXPECT_NEAR(moves[3].seconds, 1.515e-3, 1e-12);
  EXPECT_EQ(moves[3].rank, 0U);
  EXPECT_EQ(moves[3].core, 1U);
  // Ranks that had a core each, or of which one is unknown, do not move.
  trace.ranks[2].events[1].core = 8;
  EXPECT_EQ(ProgramOf(trace, BurstTime::kCpu)->program.cores, 0U);
  trace.ranks[2].events[1].core = TARE_MPI_NO_CORE;
  EXPECT_TRUE(ProgramOf(trace, BurstTime::kCpu)->program.moves.empty());
}

TEST(TraceProgram, TakesProcessorTimeOrElapsedTime) {
  auto trace = TraceOf(1);
  Recorded rank(trace.ranks[0]);
  rank.Add(TARE_MPI_F_Barrier, {});
  rank.Add(TARE_MPI_F_Finalize, {});
  const auto cpu = ProgramOf(trace, BurstTime::kCpu);
  const auto wall = ProgramOf(trace, BurstTime::kWall);
  ASSERT_TRUE(cpu && wall);
  EXPECT_EQ(cpu->program.ranks[0][0].amount, 500'000'000U);
  EXPECT_EQ(wall->program.ranks[0][0].amount, 1'000'000'000U);
  // Two bursts and one call.
  EXPECT_NEAR(wall->program.recorded, 2.01e-3, 1e-9);
  EXPECT_NEAR(wall->wall, 2e-3, 1e-9);
  EXPECT_NEAR(wall->cpu, 1e-3, 1e-9);
}

TEST(TraceProgram, ResolvesWildcardsByCompletions) {
  auto trace = TraceOf(2);
  Recorded receiver(trace.ranks[0]);
  format::MpiEvent any = To(TARE_MPI_NO_RANK, 4096, 0, 1);
  any.any_source = true;
  any.any_tag = true;
  receiver.Add(TARE_MPI_F_Irecv, any);
  receiver.Complete({{1, true, false, 1, 9, 800}});
  Recorded sender(trace.ranks[1]);
  sender.Add(TARE_MPI_F_Send, To(0, 800, 9));
  const auto converted = ProgramOf(trace, BurstTime::kWall);
  ASSERT_TRUE(converted) << converted.error().message;
  const Action& receive = converted->program.ranks[0][1];
  EXPECT_EQ(receive.kind, ActionKind::kStartReceive);
  EXPECT_EQ(receive.peer, 1);
  EXPECT_EQ(receive.tag, 9);
  const auto result = Replay(converted->program, RoundNetwork(), {});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->unmatched, 0U);
}

TEST(TraceProgram, WaitsForWhatWasCompletedAndForTheRestAtTheEnd) {
  auto trace = TraceOf(2);
  Recorded first(trace.ranks[0]);
  first.Add(TARE_MPI_F_Isend, To(1, 8, 1, 1));
  first.Add(TARE_MPI_F_Isend, To(1, 8, 2, 2));
  first.Complete({{2}});
  first.Add(TARE_MPI_F_Finalize, {});
  Recorded second(trace.ranks[1]);
  second.Add(TARE_MPI_F_Recv, To(0, 8, 1));
  second.Add(TARE_MPI_F_Recv, To(0, 8, 2));
  const auto converted = ProgramOf(trace, BurstTime::kWall);
  ASSERT_TRUE(converted) << converted.error().message;
  using enum ActionKind;
  EXPECT_EQ(
      Kinds(converted->program.ranks[0]),
      (std::vector{kCompute, kStartSend, kCompute, kStartSend, kCompute, kWait, kCompute, kWait}));
  EXPECT_TRUE(Replay(converted->program, RoundNetwork(), {}));
}

TEST(TraceProgram, NullRanksAndCancelledReceivesDisappear) {
  auto trace = TraceOf(1);
  Recorded rank(trace.ranks[0]);
  rank.Add(TARE_MPI_F_Send, To(TARE_MPI_NULL_RANK, 8));
  rank.Add(TARE_MPI_F_Irecv, To(0, 8, 0, 1));
  rank.Complete({{1, true, true}});
  const auto converted = ProgramOf(trace, BurstTime::kWall);
  ASSERT_TRUE(converted);
  ASSERT_EQ(converted->program.ranks[0].size(), 1U);
  EXPECT_EQ(converted->program.ranks[0][0].amount, 3'000'000'000U);
}

TEST(TraceProgram, EveryCollectiveCanBeReplayed) {
  auto trace = TraceOf(4);
  constexpr std::array kCalls = {
      TARE_MPI_F_Barrier,        TARE_MPI_F_Bcast,     TARE_MPI_F_Gather,    TARE_MPI_F_Gatherv,
      TARE_MPI_F_Scatter,        TARE_MPI_F_Scatterv,  TARE_MPI_F_Allgather, TARE_MPI_F_Allgatherv,
      TARE_MPI_F_Alltoall,       TARE_MPI_F_Alltoallv, TARE_MPI_F_Reduce,    TARE_MPI_F_Allreduce,
      TARE_MPI_F_Reduce_scatter, TARE_MPI_F_Scan,      TARE_MPI_F_Exscan};
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    Recorded calls(trace.ranks[rank]);
    for (const auto function : kCalls) {
      format::MpiEvent event;
      event.bytes = 100 + (function == TARE_MPI_F_Gatherv ? 100'000 * rank : 0);
      event.bytes_received = 400;
      const bool rooted = function == TARE_MPI_F_Bcast || function == TARE_MPI_F_Gather ||
                          function == TARE_MPI_F_Gatherv || function == TARE_MPI_F_Scatter ||
                          function == TARE_MPI_F_Scatterv || function == TARE_MPI_F_Reduce;
      if (rooted) event.root = 2;
      if (function == TARE_MPI_F_Bcast) event.bytes_received = event.bytes = 100;
      if (function == TARE_MPI_F_Alltoallv) {
        event.list = {static_cast<std::uint32_t>(trace.ranks[rank].lists.size()), 4};
        for (std::uint64_t to = 0; to < 4; ++to)
          trace.ranks[rank].lists.push_back(1000 * rank + to);
      }
      calls.Add(function, event);
    }
  }
  const auto converted = ProgramOf(trace, BurstTime::kCpu);
  ASSERT_TRUE(converted) << converted.error().message;
  EXPECT_EQ(converted->skipped, 0U) << converted->first_skipped;
  const auto result = Replay(converted->program, RoundNetwork(), {});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->unmatched, 0U);
}

TEST(TraceProgram, OneSidedCallsEndAtTheFence) {
  auto trace = TraceOf(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    Recorded calls(trace.ranks[rank]);
    calls.Add(TARE_MPI_F_Win_fence, {});
    calls.Add(TARE_MPI_F_Put, To(static_cast<std::int32_t>(1 - rank), 9000));
    calls.Add(TARE_MPI_F_Win_fence, {});
  }
  const auto converted = ProgramOf(trace, BurstTime::kCpu);
  ASSERT_TRUE(converted) << converted.error().message;
  const auto& actions = converted->program.ranks[0];
  ASSERT_EQ(actions.back().kind, ActionKind::kCollective);
  EXPECT_EQ(actions[actions.size() - 2].kind, ActionKind::kWait);
  EXPECT_TRUE(Replay(converted->program, RoundNetwork(), {}));
}

TEST(TraceProgram, ATraceWithoutRanksIsRefused) {
  EXPECT_FALSE(ProgramOf(format::MpiTrace{}, BurstTime::kCpu));
}

}  // namespace
}  // namespace tare::replay
