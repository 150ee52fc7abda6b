// window_queue_test.cc: actors by window, and replays that do not depend on windows.
#include "predict/replay/window_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "predict/replay/replay.h"
#include "tests/unit/predict/replay/example_network.h"

namespace tare::replay {
namespace {

using testing::ElementsAre;

TEST(WindowQueue, GivesWindowsInOrderOfTime) {
  WindowQueue queue(1024);
  queue.Push(5000, 1);
  queue.Push(1'000'000'000, 2);  // beyond the ring
  queue.Push(100, 3);
  queue.Push(900, 0);
  ASSERT_TRUE(queue.Advance());
  EXPECT_THAT(queue.Active(), ElementsAre(0, 3));
  EXPECT_EQ(queue.End(), 1024);
  queue.Push(1000, 4);  // still in this window
  EXPECT_THAT(queue.Active(), ElementsAre(0, 3, 4));
  ASSERT_TRUE(queue.Advance());
  EXPECT_THAT(queue.Active(), ElementsAre(1));
  ASSERT_TRUE(queue.Advance());
  EXPECT_THAT(queue.Active(), ElementsAre(2));
  EXPECT_FALSE(queue.Advance());
}

TEST(WindowQueue, LosesNobodyWhereverTheyAre) {
  std::mt19937_64 random(3);
  WindowQueue queue(100);
  std::uint32_t pushed = 0;
  std::uint32_t seen = 0;
  Picoseconds last = 0;
  for (; pushed < 100; ++pushed) queue.Push(static_cast<Picoseconds>(random() % 1'000'000), pushed);
  while (queue.Advance()) {
    EXPECT_GT(queue.End(), last);
    last = queue.End();
    for (std::size_t i = 0; i < queue.Active().size(); ++i) {
      ++seen;
      if (pushed == 5000) continue;
      const auto ahead = static_cast<Picoseconds>(random() % (random() % 2 == 0 ? 300 : 2'000'000));
      queue.Push(queue.End() - 1 + ahead, pushed++);
    }
  }
  EXPECT_EQ(seen, pushed);
}

// Ranks exchange messages of random sizes, above and below the eager limit, with random partners.
MessageProgram RandomExchange(std::uint64_t seed, std::int32_t ranks) {
  std::mt19937_64 random(seed);
  MessageProgram program;
  program.ranks.resize(static_cast<std::size_t>(ranks));
  std::vector<RankBuilder> builders;
  for (std::int32_t rank = 0; rank < ranks; ++rank) builders.emplace_back(program, rank);
  std::vector<std::int32_t> order(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) order[static_cast<std::size_t>(rank)] = rank;
  for (int step = 0; step < 20; ++step) {
    std::vector<std::vector<std::uint64_t>> requests(builders.size());
    for (int pass = 0; pass < 3; ++pass) {
      std::ranges::shuffle(order, random);
      for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int32_t to = order[i];
        const auto from = static_cast<std::int32_t>(i);
        if (to == from) continue;
        const std::uint64_t bytes = random() % 30'000;
        auto& sender = builders[i];
        auto& receiver = builders[static_cast<std::size_t>(to)];
        requests[static_cast<std::size_t>(to)].push_back(receiver.StartReceive(from, pass));
        sender.Compute(static_cast<double>(random() % 4) * 1e-6);
        requests[i].push_back(sender.StartSend(to, bytes, pass, 0, random() % 8 == 0));
      }
    }
    for (std::size_t rank = 0; rank < builders.size(); ++rank) {
      builders[rank].Compute(static_cast<double>(random() % 50) * 1e-6);
      for (const std::uint64_t request : requests[rank]) builders[rank].Wait(request);
      if (step % 4 == 3) builders[rank].AddCollective(Collective::kAllreduce, 64, 0, 0, step / 4);
    }
  }
  return program;
}

// A limit of cores that is never reached makes actors proceed in order of time.
TEST(WindowedReplay, EqualsTheReplayInOrderOfTime) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const MessageProgram program = RandomExchange(seed, 13);
    for (const std::uint32_t ranks_per_node : {1u, 3u}) {
      for (const std::uint32_t links : {0u, 1u, 2u}) {
        for (const std::uint32_t buses : {0u, 2u}) {
          Network network = RoundNetwork();
          network.ranks_per_node = ranks_per_node;
          network.links_in = links;
          network.links_out = links;
          network.buses = buses;
          for (const bool with_path : {false, true}) {
            SCOPED_TRACE(testing::Message()
                         << "seed " << seed << ", " << ranks_per_node << " ranks per node, "
                         << links << " links, " << buses << " buses");
            const auto windowed = Replay(program, network, {.with_path = with_path});
            network.cores = 13;
            const auto ordered = Replay(program, network, {.with_path = with_path});
            network.cores = 0;
            ASSERT_TRUE(windowed) << windowed.error().message;
            ASSERT_TRUE(ordered);
            EXPECT_EQ(windowed->seconds, ordered->seconds);
            EXPECT_EQ(windowed->events, ordered->events);
            EXPECT_EQ(windowed->path.compute, ordered->path.compute);
            EXPECT_EQ(windowed->path.queueing, ordered->path.queueing);
            EXPECT_EQ(windowed->path.messages, ordered->path.messages);
            for (std::size_t r = 0; r < windowed->ranks.size(); ++r) {
              EXPECT_EQ(windowed->ranks[r].end, ordered->ranks[r].end) << "rank " << r;
              EXPECT_EQ(windowed->ranks[r].wait, ordered->ranks[r].wait) << "rank " << r;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tare::replay
