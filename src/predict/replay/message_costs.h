// message_costs.h: what a replay computes with: picoseconds of messages, and paths up to a moment.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>

#include "predict/replay/event_queue.h"
#include "predict/replay/network.h"

namespace tare::replay {

inline constexpr Picoseconds kUnknownTime = -1;
inline constexpr Picoseconds kMaxTime = 4'000'000'000'000'000'000;  // 46 days

inline Picoseconds FromSeconds(double seconds) {
  constexpr double kMaxPart = 1e18;  // 11 days
  return static_cast<Picoseconds>(std::llround(std::min(seconds * 1e12, kMaxPart)));
}
inline double ToSeconds(Picoseconds time) { return static_cast<double>(time) * 1e-12; }

// The costs of a message in picoseconds.
struct MessageCosts {
  explicit MessageCosts(const LinkCosts& costs)
      : latency(FromSeconds(costs.latency.value)),
        overhead(FromSeconds(costs.overhead.value)),
        gap(FromSeconds(costs.gap.value)),
        handshake(FromSeconds(costs.handshake.value)),
        per_byte(1e12 / costs.bandwidth.value) {}

  Picoseconds Transmission(std::uint64_t bytes) const {
    constexpr double kMaxPart = 1e18;
    return static_cast<Picoseconds>(std::min(per_byte * static_cast<double>(bytes), kMaxPart) +
                                    0.5);
  }

  Picoseconds latency;
  Picoseconds overhead;
  Picoseconds gap;
  Picoseconds handshake;
  double per_byte;
};

// What the critical path up to some moment consists of.
struct TrackedPath {
  static constexpr bool kTracks = true;
  Picoseconds compute = 0;
  Picoseconds overhead = 0;
  Picoseconds latency = 0;
  Picoseconds transmission = 0;
  Picoseconds queueing = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint32_t node = 0;  // in the list of parts
};
struct NoPath {
  static constexpr bool kTracks = false;
};

// The event that a message belongs to. Messages take shared resources in the order of these.
struct MessageOrder {
  Picoseconds time = 0;
  std::uint32_t actor = 0;
  std::uint64_t request = 0;  // an actor can start several at one time

  friend auto operator<=>(const MessageOrder&, const MessageOrder&) = default;
};

}  // namespace tare::replay
