// traffic.cc: adds up messages.
#include "predict/replay/traffic.h"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

namespace tare::replay {

Traffic TrafficOf(const MessageProgram& program) {
  Traffic traffic;
  std::unordered_map<std::uint64_t, Pair> pairs;
  std::map<std::uint64_t, SizeClass> sizes;
  std::array<CollectiveUse, kCollectives> collectives = {};
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    for (const Action& action : program.ranks[rank]) {
      switch (action.kind) {
        case ActionKind::kSend:
        case ActionKind::kStartSend:
        case ActionKind::kPut:
        case ActionKind::kGet: {
          auto from = static_cast<std::int32_t>(rank);
          auto to = action.peer;
          if (action.kind == ActionKind::kGet) std::swap(from, to);
          Pair& pair = pairs[static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 |
                             static_cast<std::uint32_t>(to)];
          pair.from = from;
          pair.to = to;
          ++pair.messages;
          pair.bytes += action.amount;
          ++traffic.messages;
          traffic.bytes += action.amount;
          constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;
          const std::uint64_t limit =
              std::bit_ceil(std::clamp<std::uint64_t>(action.amount, 1, kLargest));
          SizeClass& size = sizes[limit];
          size.bytes = limit;
          ++size.messages;
          size.total += action.amount;
          break;
        }
        case ActionKind::kCollective:
        case ActionKind::kStartCollective: {
          CollectiveUse& use = collectives[static_cast<std::size_t>(action.collective)];
          ++use.calls;
          if (!action.has_list) {
            use.bytes += action.amount;
            break;
          }
          const auto size = static_cast<std::uint64_t>(program.SizeOf(action.communicator));
          for (std::uint64_t i = 0; i < size; ++i) use.bytes += program.lists[action.amount + i];
          break;
        }
        default:
          break;
      }
    }
  }
  for (const auto& [key, pair] : pairs) traffic.pairs.push_back(pair);
  std::ranges::sort(traffic.pairs, [](const Pair& a, const Pair& b) {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  for (const auto& [limit, size] : sizes) traffic.sizes.push_back(size);
  for (std::size_t i = 0; i < kCollectives; ++i) {
    collectives[i].collective = static_cast<Collective>(i);
    if (collectives[i].calls > 0) traffic.collectives.push_back(collectives[i]);
  }
  return traffic;
}

}  // namespace tare::replay
