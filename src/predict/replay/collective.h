// collective.h: collective operations as the point-to-point messages of each member.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tare::replay {

// The meaning of `bytes` is in brackets.
enum class Collective : std::uint8_t {
  kBarrier,
  kBroadcast,      // [the whole message]
  kReduce,         // [the contribution of a member]
  kAllreduce,      // [the contribution of a member]
  kGather,         // [the contribution of a member]
  kScatter,        // [the part of a member]
  kAllgather,      // [the contribution of a member]
  kAlltoall,       // [from one member to one other], or a list of bytes to each member
  kReduceScatter,  // [the contribution of a member: all parts]
  kScan,           // [the contribution of a member]
};
inline constexpr std::size_t kCollectives = 10;

enum class Algorithm : std::uint8_t {
  kLinear,             // the root, or everybody, sends to all at once
  kBinomial,           // a binomial tree
  kPipeline,           // a chain of all members, in segments
  kRecursiveDoubling,  // distances 1, 2, 4, ...
  kDissemination,      // Bruck's pattern
  kRing,               // neighbors pass blocks on
  kPairwise,           // in step k with the members k places before and after
};
inline constexpr std::size_t kAlgorithms = 7;

std::string_view Name(Collective collective);
std::string_view Name(Algorithm algorithm);
std::optional<Collective> ParseCollective(std::string_view name);
std::optional<Algorithm> ParseAlgorithm(std::string_view name);
// The algorithms that StepOf knows for the collective.
std::span<const Algorithm> AlgorithmsOf(Collective collective);

// Follows the decisions of Open MPI's tuned module in outline. It depends on nothing that members
// know differently.
Algorithm ChooseAlgorithm(Collective collective, std::int32_t size, std::uint64_t bytes);

struct CollectiveCall {
  Collective collective = Collective::kBarrier;
  Algorithm algorithm = Algorithm::kLinear;
  std::int32_t size = 1;
  std::int32_t place = 0;  // of this member
  std::int32_t root = 0;
  std::uint64_t bytes = 0;
  const std::uint64_t* list = nullptr;  // bytes to each member; null: `bytes` to each
};

// One step of a member: it starts to send and to receive, and waits for both unless `waits` is
// false; then a later step waits.
struct CollectiveStep {
  std::int32_t send_to = -1;
  std::int32_t receive_from = -1;
  std::uint64_t bytes = 0;    // to send
  std::uint64_t reduced = 0;  // bytes to combine with what arrived
  bool waits = true;
};

// Returns false if the member has no step of that number: it is done. Numbers count from 0.
bool StepOf(const CollectiveCall& call, std::int32_t number, CollectiveStep& step);

// The segment of a pipeline.
inline constexpr std::uint64_t kSegmentBytes = 65536;

}  // namespace tare::replay
