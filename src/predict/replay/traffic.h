// traffic.h: who sends how much to whom.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/replay/message_program.h"

namespace tare::replay {

struct Pair {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// Messages of up to `bytes` bytes, and more than the class before.
struct SizeClass {
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
  std::uint64_t total = 0;
};

struct CollectiveUse {
  Collective collective = Collective::kBarrier;
  std::uint64_t calls = 0;  // of all ranks
  std::uint64_t bytes = 0;
};

struct Traffic {
  std::vector<Pair> pairs;       // point-to-point and one-sided, most bytes first
  std::vector<SizeClass> sizes;  // classes with messages, in order
  std::vector<CollectiveUse> collectives;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

Traffic TrafficOf(const MessageProgram& program);

}  // namespace tare::replay
