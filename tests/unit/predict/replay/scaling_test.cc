// scaling_test.cc: extrapolation of known functions, and programs extended by their pattern.
#include "predict/replay/scaling.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "predict/replay/replay.h"
#include "predict/replay/traffic.h"
#include "tests/unit/predict/replay/example_network.h"

namespace tare::replay {
namespace {

TEST(Extrapolation, ContinuesAmdahlsLaw) {
  std::vector<ScalingPoint> points;
  for (const std::int32_t p : {2, 4, 8, 16})
    points.push_back({p, 0.1 + 8.0 / p, 0.01 * std::log2(p)});
  const auto result = Extrapolate(points, std::array{64, 128});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->size(), 2U);
  const double expected = 0.1 + 8.0 / 64 + 0.06;
  EXPECT_NEAR(result->front().time.Value(), expected, 0.01);
  EXPECT_LE(result->front().time.Low(), expected);
  EXPECT_GE(result->front().time.High(), expected);
  EXPECT_EQ(result->front().compute_function, "a + b / p");
  EXPECT_GE(result->back().time.HalfWidth(), result->front().time.HalfWidth());
}

TEST(Extrapolation, NeedsThreeNumbersOfRanks) {
  const std::array<ScalingPoint, 3> points = {{{2, 1, 0}, {2, 1, 0}, {4, 1, 0}}};
  EXPECT_FALSE(Extrapolate(points, std::array{8}));
}

MessageProgram Halo(std::int32_t ranks, bool periodic, double seconds) {
  MessageProgram program;
  program.ranks.resize(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    RankBuilder builder(program, rank);
    for (int step = 0; step < 3; ++step) {
      builder.Compute(seconds);
      std::vector<std::uint64_t> requests;
      for (const std::int32_t distance : {-1, 1}) {
        const std::int32_t peer = rank + distance;
        if (!periodic && (peer < 0 || peer >= ranks)) continue;
        requests.push_back(builder.StartReceive((peer + ranks) % ranks));
        requests.push_back(builder.StartSend((peer + ranks) % ranks, 800));
      }
      for (const auto request : requests) builder.Wait(request);
      builder.AddCollective(Collective::kAllreduce, 8, 0, 0, step);
    }
  }
  return program;
}

TEST(Synthesis, EqualsTheProgramWithMoreRanks) {
  for (const bool periodic : {false, true}) {
    const auto larger = Synthesize(Halo(4, periodic, 4e-3), 16, true);
    ASSERT_TRUE(larger) << larger.error().message;
    const auto expected = Replay(Halo(16, periodic, 1e-3), RoundNetwork(), {});
    const auto result = Replay(*larger, RoundNetwork(), {});
    ASSERT_TRUE(expected && result);
    EXPECT_NEAR(result->seconds, expected->seconds, 1e-9);
  }
}

TEST(Synthesis, RefusesWhatDoesNotFollowFromDistances) {
  MessageProgram program;
  program.ranks.resize(4);
  // Everybody sends to rank 0.
  for (std::int32_t rank = 1; rank < 4; ++rank) {
    RankBuilder(program, rank).Send(0, 8);
    RankBuilder(program, 0).Receive(rank);
  }
  const auto larger = Synthesize(program, 16, true);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().kind, ErrorKind::kUnsupported);
}

TEST(Traffic, AddsUpPairsAndSizes) {
  const Traffic traffic = TrafficOf(Halo(4, true, 1e-3));
  EXPECT_EQ(traffic.messages, 24U);
  EXPECT_EQ(traffic.bytes, 24U * 800);
  EXPECT_EQ(traffic.pairs.size(), 8U);
  ASSERT_EQ(traffic.sizes.size(), 1U);
  EXPECT_EQ(traffic.sizes.front().bytes, 1024U);
  ASSERT_EQ(traffic.collectives.size(), 1U);
  EXPECT_EQ(traffic.collectives.front().calls, 12U);
}

}  // namespace
}  // namespace tare::replay
