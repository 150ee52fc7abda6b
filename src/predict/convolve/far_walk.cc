// far_walk.cc: the far walk from the chain of loads of a profile.
#include "predict/convolve/far_walk.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tare::convolve {

using machine_profile::Access;
using machine_profile::Level;
using machine_profile::Pattern;
using machine_profile::Profile;

std::optional<FarWalk> FarWalkOf(const Profile& profile, const signature::Hierarchy& hierarchy) {
  const auto* chain = profile.FindCurve({Access::kLoad, Pattern::kChained, 1, 8});
  const Level& memory = profile.levels.back();
  if (chain == nullptr || !memory.latency || hierarchy.tlbs.empty()) return std::nullopt;
  double known = memory.latency->Value();
  std::uint64_t reach = profile.levels[profile.levels.size() - 2].bytes;
  for (const machine_profile::Tlb& tlb : profile.tlbs) {
    if (tlb.page_bytes != hierarchy.tlbs.front().page_bytes) continue;
    if (tlb.miss) known += tlb.miss->Value();
    reach = std::max(reach, tlb.entries * tlb.page_bytes);
  }
  std::vector<std::pair<std::uint64_t, double>> beyond;
  for (const machine_profile::CurvePoint& point : chain->points) {
    if (point.bytes <= 2 * reach) continue;
    beyond.emplace_back(point.bytes, 1 / point.rate.Value() - known);
  }
  // Less than this share of the latency is noise.
  constexpr double kMinShare = 0.1;
  if (beyond.size() < 2 || beyond.back().second < kMinShare * known) return std::nullopt;
  const double all = beyond.back().second;
  const auto half =
      std::ranges::find_if(beyond, [all](const auto& point) { return point.second >= all / 2; });
  return FarWalk{half->first / hierarchy.tlbs.front().page_bytes, all};
}

}  // namespace tare::convolve
