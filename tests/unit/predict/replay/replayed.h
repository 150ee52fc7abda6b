// replayed.h: replays of small programs whose times follow from the parameters by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "predict/replay/replay.h"
#include "tests/unit/predict/replay/example_network.h"

namespace tare::replay {

inline constexpr double kMicro = 1e-6;
inline constexpr double kTolerance = 1e-11;

inline MessageProgram Ranks(std::size_t count) {
  MessageProgram program;
  program.ranks.resize(count);
  return program;
}

// Empty if there is none.
inline std::filesystem::path SimGridModule() {
  const std::filesystem::path module = TARE_BINARY_DIR "/engines/tare-simgrid.so";
  return std::filesystem::exists(module) ? module : "";
}

inline ReplayResult Replayed(const MessageProgram& program, const Network& network,
                             Engine engine = Engine::kLogGp) {
  EXPECT_TRUE(CheckProgram(program));
  const auto result =
      Replay(program, network, {.engine = engine, .with_path = true, .simgrid = SimGridModule()});
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  if (!result) return {};
  for (const RankTime& rank : result->ranks) {
    EXPECT_NEAR(rank.compute + rank.wait + rank.transfer, result->seconds, 1e-9);
  }
  const CriticalPath& path = result->path;
  EXPECT_NEAR(path.compute + path.overhead + path.latency + path.transmission + path.queueing,
              result->seconds, 1e-9);
  return *result;
}

inline MessageProgram PingPong(std::uint64_t bytes, int rounds) {
  MessageProgram program = Ranks(2);
  RankBuilder first(program, 0);
  RankBuilder second(program, 1);
  for (int i = 0; i < rounds; ++i) {
    first.Send(1, bytes);
    first.Receive(1);
    second.Receive(0);
    second.Send(0, bytes);
  }
  return program;
}

}  // namespace tare::replay
