// tlb_model.cc: TLB misses of strided, random and chained accesses, in closed form.
#include "machine/profile/tlb_model.h"

#include <algorithm>
#include <cmath>

namespace tare::machine_profile {

double TlbMissesPerAccess(const Tlb& tlb, const CurveKey& key, std::uint64_t bytes) {
  const double page = static_cast<double>(tlb.page_bytes);
  const double reach = static_cast<double>(tlb.entries) * page;
  const double set = static_cast<double>(bytes);
  if (set <= reach) return 0;
  if (key.pattern == Pattern::kStrided) {
    const double stride = static_cast<double>(key.stride) * key.element_bytes;
    return std::min(1.0, stride / page) / key.AccessesPerElement();
  }
  return (1 - reach / set) / key.AccessesPerElement();
}

double TlbSeconds(std::span<const Tlb> tlbs, const CurveKey& key, std::uint64_t bytes) {
  double seconds = 0;
  for (const Tlb& tlb : tlbs) {
    if (!tlb.miss || tlb.page_bytes != tlbs.front().page_bytes) continue;
    seconds += TlbMissesPerAccess(tlb, key, bytes) * tlb.miss->Value();
  }
  return seconds;
}

void ChangeTlbTime(Curve& curve, std::span<const Tlb> before, std::span<const Tlb> after) {
  // A miss that was hidden behind other work cannot be taken out of a time.
  constexpr double kMinLeft = 0.1;
  for (CurvePoint& point : curve.points) {
    const double more =
        TlbSeconds(after, curve.key, point.bytes) - TlbSeconds(before, curve.key, point.bytes);
    if (more == 0 || !(point.rate.Value() > 0)) continue;
    const double seconds = 1 / point.rate.Value();
    const double factor = seconds / std::max(seconds + more, kMinLeft * seconds);
    point.rate = WithOrigin(Origin::kProjected, Scaled(point.rate, factor));
  }
}

}  // namespace tare::machine_profile
