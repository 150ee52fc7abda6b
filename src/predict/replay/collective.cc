// collective.cc: the algorithms. Thakur, Rabenseifner and Gropp, "Optimization of Collective
// Communication Operations in MPICH", 2005, describes all of them.
#include "predict/replay/collective.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tare::replay {
namespace {

using enum Algorithm;

constexpr std::array<std::string_view, kCollectives> kCollectiveNames = {
    "barrier", "broadcast", "reduce",   "allreduce",      "gather",
    "scatter", "allgather", "alltoall", "reduce_scatter", "scan"};
constexpr std::array<std::string_view, kAlgorithms> kAlgorithmNames = {
    "linear", "binomial", "pipeline", "recursive-doubling", "dissemination", "ring", "pairwise"};

constexpr auto kForBarrier = std::to_array<Algorithm>({kDissemination, kLinear});
constexpr auto kForTree = std::to_array<Algorithm>({kBinomial, kLinear, kPipeline});
constexpr auto kForAllreduce = std::to_array<Algorithm>({kRecursiveDoubling, kRing});
constexpr auto kForGather = std::to_array<Algorithm>({kBinomial, kLinear});
constexpr auto kForAllgather = std::to_array<Algorithm>({kDissemination, kRing});
constexpr auto kForAlltoall = std::to_array<Algorithm>({kDissemination, kLinear, kPairwise});
constexpr auto kForReduceScatter = std::to_array<Algorithm>({kRing});
constexpr auto kForScan = std::to_array<Algorithm>({kRecursiveDoubling, kLinear});

std::int32_t Rounds(std::int32_t size) {
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(size - 1)));
}

std::int32_t Turned(std::int32_t place, std::int32_t by, std::int32_t size) {
  return static_cast<std::int32_t>(((static_cast<std::int64_t>(place) + by) % size + size) % size);
}

// Members below a member of the binomial tree, itself included. `relative` counts from the root.
std::int32_t Subtree(std::int32_t relative, std::int32_t size) {
  if (relative == 0) return size;
  return std::min(relative & -relative, size - relative);
}

// Number of children of a member of the binomial tree, and their distances 1, 2, 4, ...
std::int32_t Children(std::int32_t relative, std::int32_t size) {
  const std::int32_t limit = relative == 0 ? size : relative & -relative;
  std::int32_t children = 0;
  for (std::int64_t mask = 1; mask < limit && relative + mask < size; mask *= 2) ++children;
  return children;
}

// Down a binomial tree: from the parent, then to the children, the farthest first.
bool BinomialDown(const CollectiveCall& call, std::int32_t number, bool blocks,
                  CollectiveStep& step) {
  const std::int32_t relative = Turned(call.place, -call.root, call.size);
  if (relative != 0 && number-- == 0) {
    step.receive_from = Turned(relative & (relative - 1), call.root, call.size);
    return true;
  }
  const std::int32_t children = Children(relative, call.size);
  if (number >= children) return false;
  const std::int32_t child = relative + (1 << (children - 1 - number));
  step.send_to = Turned(child, call.root, call.size);
  step.bytes =
      blocks ? call.bytes * static_cast<std::uint64_t>(Subtree(child, call.size)) : call.bytes;
  step.waits = number + 1 == children;
  return true;
}

// Up a binomial tree: from the children, the nearest first, then to the parent.
bool BinomialUp(const CollectiveCall& call, std::int32_t number, bool blocks, bool reduces,
                CollectiveStep& step) {
  const std::int32_t relative = Turned(call.place, -call.root, call.size);
  const std::int32_t children = Children(relative, call.size);
  if (number < children) {
    step.receive_from = Turned(relative + (1 << number), call.root, call.size);
    if (reduces) step.reduced = call.bytes;
    return true;
  }
  if (number > children || relative == 0) return false;
  step.send_to = Turned(relative & (relative - 1), call.root, call.size);
  step.bytes =
      blocks ? call.bytes * static_cast<std::uint64_t>(Subtree(relative, call.size)) : call.bytes;
  return true;
}

// Everybody to the root, or back (`down`).
bool LinearTree(const CollectiveCall& call, std::int32_t number, bool down, bool reduces,
                CollectiveStep& step) {
  if (call.place != call.root) {
    if (number > 0) return false;
    (down ? step.receive_from : step.send_to) = call.root;
    if (!down) step.bytes = call.bytes;
    return true;
  }
  if (number + 1 >= call.size) return false;
  const std::int32_t other = Turned(call.root, number + 1, call.size);
  (down ? step.send_to : step.receive_from) = other;
  if (down) step.bytes = call.bytes;
  if (reduces) step.reduced = call.bytes;
  step.waits = number + 2 == call.size;
  return true;
}

// A chain: in step k a member receives segment k and passes on segment k - 1.
bool Chain(const CollectiveCall& call, std::int32_t number, bool down, CollectiveStep& step) {
  const std::int32_t relative = Turned(call.place, -call.root, call.size);
  const auto segments = static_cast<std::int32_t>(
      std::max<std::uint64_t>((call.bytes + kSegmentBytes - 1) / kSegmentBytes, 1));
  const bool first = down ? relative == 0 : relative + 1 == call.size;
  const bool last = down ? relative + 1 == call.size : relative == 0;
  const std::int32_t next = Turned(call.place, down ? 1 : -1, call.size);
  const std::int32_t before = Turned(call.place, down ? -1 : 1, call.size);
  const auto bytes_of = [&](std::int32_t segment) {
    const std::uint64_t from = static_cast<std::uint64_t>(segment) * kSegmentBytes;
    return std::min(kSegmentBytes, call.bytes - from);
  };
  const std::int32_t received = number;
  const std::int32_t sent = first ? number : number - 1;
  if (!first && received < segments) {
    step.receive_from = before;
    if (!down) step.reduced = bytes_of(received);
  }
  if (!last && sent >= 0 && sent < segments) {
    step.send_to = next;
    step.bytes = bytes_of(sent);
  }
  return step.send_to >= 0 || step.receive_from >= 0;
}

// Powers of two exchange at distances 1, 2, 4, ...; the members beyond the largest power of two
// are represented by their neighbors.
bool AllreduceDoubling(const CollectiveCall& call, std::int32_t number, CollectiveStep& step) {
  const auto power =
      static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(call.size)));
  const std::int32_t rest = call.size - power;
  const std::int32_t rounds = std::countr_zero(static_cast<std::uint32_t>(power));
  step.bytes = call.bytes;
  const bool paired = call.place < 2 * rest;
  if (paired && call.place % 2 == 0) {  // represented by its right neighbor
    if (number > 1) return false;
    (number == 0 ? step.send_to : step.receive_from) = call.place + 1;
    return true;
  }
  if (paired && number-- == 0) {
    step.receive_from = call.place - 1;
    step.reduced = call.bytes;
    return true;
  }
  if (number < rounds) {
    const std::int32_t virtual_place = paired ? call.place / 2 : call.place - rest;
    const std::int32_t other = virtual_place ^ (1 << number);
    const std::int32_t partner = other < rest ? 2 * other + 1 : other + rest;
    step.send_to = partner;
    step.receive_from = partner;
    step.reduced = call.bytes;
    return true;
  }
  if (!paired || number > rounds) return false;
  step.send_to = call.place - 1;
  return true;
}

std::uint64_t BlockBytes(const CollectiveCall& call, std::int32_t block) {
  const auto size = static_cast<std::uint64_t>(call.size);
  const auto at = static_cast<std::uint64_t>(block);
  return call.bytes / size + (at < call.bytes % size ? 1 : 0);
}

// `steps` steps around a ring; blocks of a whole message of `bytes`, or of `bytes` each.
bool Ring(const CollectiveCall& call, std::int32_t number, std::int32_t steps,
          std::int32_t reducing, bool whole, CollectiveStep& step) {
  if (number >= steps) return false;
  step.send_to = Turned(call.place, 1, call.size);
  step.receive_from = Turned(call.place, -1, call.size);
  step.bytes = whole ? BlockBytes(call, Turned(call.place, -number, call.size)) : call.bytes;
  if (number < reducing)
    step.reduced = BlockBytes(call, Turned(call.place, -number - 1, call.size));
  return true;
}

bool Dissemination(const CollectiveCall& call, std::int32_t number, CollectiveStep& step) {
  if (number >= Rounds(call.size)) return false;
  const std::int32_t distance = 1 << number;
  step.send_to = Turned(call.place, distance, call.size);
  step.receive_from = Turned(call.place, -distance, call.size);
  if (call.collective == Collective::kAllgather) {
    step.bytes = call.bytes * static_cast<std::uint64_t>(std::min(distance, call.size - distance));
  } else if (call.collective == Collective::kAlltoall) {
    std::uint64_t blocks = 0;  // places whose distance has this bit
    for (std::int64_t block = distance; block < call.size; block += 2LL * distance) {
      blocks += static_cast<std::uint64_t>(std::min<std::int64_t>(distance, call.size - block));
    }
    step.bytes = call.bytes * blocks;
  }
  return true;
}

bool Exchange(const CollectiveCall& call, std::int32_t number, bool waits, CollectiveStep& step) {
  if (number + 1 >= call.size) return false;
  step.send_to = Turned(call.place, number + 1, call.size);
  step.receive_from = Turned(call.place, -number - 1, call.size);
  step.bytes = call.list != nullptr ? call.list[step.send_to] : call.bytes;
  step.waits = waits || number + 2 == call.size;
  return true;
}

bool LinearBarrier(const CollectiveCall& call, std::int32_t number, CollectiveStep& step) {
  if (call.place != 0) {
    if (number > 1) return false;
    (number == 0 ? step.send_to : step.receive_from) = 0;
    return true;
  }
  const std::int32_t others = call.size - 1;
  if (number >= 2 * others) return false;
  (number < others ? step.receive_from : step.send_to) = number % others + 1;
  step.waits = number % others + 1 == others;
  return true;
}

bool Scan(const CollectiveCall& call, std::int32_t number, CollectiveStep& step) {
  step.bytes = call.bytes;
  if (call.algorithm == kLinear) {
    if (call.place > 0 && number-- == 0) {
      step.receive_from = call.place - 1;
      step.reduced = call.bytes;
      return true;
    }
    if (number > 0 || call.place + 1 >= call.size) return false;
    step.send_to = call.place + 1;
    return true;
  }
  const std::int64_t distance = std::int64_t{1} << number;
  if (number >= Rounds(call.size)) return false;
  if (call.place + distance < call.size)
    step.send_to = static_cast<std::int32_t>(call.place + distance);
  if (call.place >= distance) {
    step.receive_from = static_cast<std::int32_t>(call.place - distance);
    step.reduced = call.bytes;
  }
  return true;
}

}  // namespace

std::string_view Name(Collective collective) {
  return kCollectiveNames[static_cast<std::size_t>(collective)];
}

std::string_view Name(Algorithm algorithm) {
  return kAlgorithmNames[static_cast<std::size_t>(algorithm)];
}

std::optional<Collective> ParseCollective(std::string_view name) {
  const auto at = std::ranges::find(kCollectiveNames, name);
  if (at == kCollectiveNames.end()) return std::nullopt;
  return static_cast<Collective>(at - kCollectiveNames.begin());
}

std::optional<Algorithm> ParseAlgorithm(std::string_view name) {
  const auto at = std::ranges::find(kAlgorithmNames, name);
  if (at == kAlgorithmNames.end()) return std::nullopt;
  return static_cast<Algorithm>(at - kAlgorithmNames.begin());
}

std::span<const Algorithm> AlgorithmsOf(Collective collective) {
  switch (collective) {
    case Collective::kBarrier:
      return kForBarrier;
    case Collective::kBroadcast:
    case Collective::kReduce:
      return kForTree;
    case Collective::kAllreduce:
      return kForAllreduce;
    case Collective::kGather:
    case Collective::kScatter:
      return kForGather;
    case Collective::kAllgather:
      return kForAllgather;
    case Collective::kAlltoall:
      return kForAlltoall;
    case Collective::kReduceScatter:
      return kForReduceScatter;
    case Collective::kScan:
      return kForScan;
  }
  return {};
}

Algorithm ChooseAlgorithm(Collective collective, std::int32_t size, std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = 1024;
  switch (collective) {
    case Collective::kBarrier:
      return kDissemination;
    case Collective::kBroadcast:
      return bytes <= 512 * kKiB || size <= 2 ? kBinomial : kPipeline;
    case Collective::kReduce:
      return bytes <= 64 * kKiB || size <= 2 ? kBinomial : kPipeline;
    case Collective::kAllreduce:
      return bytes <= 10 * kKiB || size <= 2 ? kRecursiveDoubling : kRing;
    case Collective::kGather:
    case Collective::kScatter:
      return bytes <= 6 * kKiB && size > 10 ? kBinomial : kLinear;
    case Collective::kAllgather:
      return bytes * static_cast<std::uint64_t>(size) <= 80 * kKiB ? kDissemination : kRing;
    case Collective::kAlltoall:
      if (bytes <= 200 && size > 12) return kDissemination;
      return bytes <= 3 * kKiB ? kLinear : kPairwise;
    case Collective::kReduceScatter:
      return kRing;
    case Collective::kScan:
      return kRecursiveDoubling;
  }
  return kLinear;
}

bool StepOf(const CollectiveCall& call, std::int32_t number, CollectiveStep& step) {
  step = {};
  if (call.size <= 1) return false;
  switch (call.collective) {
    case Collective::kBarrier:
      return call.algorithm == kLinear ? LinearBarrier(call, number, step)
                                       : Dissemination(call, number, step);
    case Collective::kBroadcast:
      if (call.algorithm == kPipeline) return Chain(call, number, true, step);
      return call.algorithm == kLinear ? LinearTree(call, number, true, false, step)
                                       : BinomialDown(call, number, false, step);
    case Collective::kReduce:
      if (call.algorithm == kPipeline) return Chain(call, number, false, step);
      return call.algorithm == kLinear ? LinearTree(call, number, false, true, step)
                                       : BinomialUp(call, number, false, true, step);
    case Collective::kAllreduce:
      if (call.algorithm == kRing) {
        return Ring(call, number, 2 * (call.size - 1), call.size - 1, true, step);
      }
      return AllreduceDoubling(call, number, step);
    case Collective::kGather:
      return call.algorithm == kLinear ? LinearTree(call, number, false, false, step)
                                       : BinomialUp(call, number, true, false, step);
    case Collective::kScatter:
      return call.algorithm == kLinear ? LinearTree(call, number, true, false, step)
                                       : BinomialDown(call, number, true, step);
    case Collective::kAllgather:
      return call.algorithm == kRing ? Ring(call, number, call.size - 1, 0, false, step)
                                     : Dissemination(call, number, step);
    case Collective::kAlltoall:
      if (call.algorithm == kDissemination && call.list == nullptr) {
        return Dissemination(call, number, step);
      }
      return Exchange(call, number, call.algorithm != kLinear, step);
    case Collective::kReduceScatter:
      return Ring(call, number, call.size - 1, call.size - 1, true, step);
    case Collective::kScan:
      return Scan(call, number, step);
  }
  return false;
}

}  // namespace tare::replay
