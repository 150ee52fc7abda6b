// tlb_model.h: the time that TLB misses add to the accesses of a microbenchmark.
#pragma once

#include <cstdint>
#include <span>

#include "machine/profile/curve.h"
#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// Misses per access in a TLB with so many entries, in the steady state of the microbenchmark of
// `key` over `bytes`: none while the TLB maps the whole set; otherwise one per page for strided
// accesses (LRU keeps nothing of a cycle that is too long), and for random and chained ones the
// share of pages that it does not map.
double TlbMissesPerAccess(const Tlb& tlb, const CurveKey& key, std::uint64_t bytes);

// Seconds per access, over all TLBs whose cost of a miss is known. TLBs of other page sizes than
// the first one's are left out.
double TlbSeconds(std::span<const Tlb> tlbs, const CurveKey& key, std::uint64_t bytes);

// Adds the difference that other TLBs make to the points of a curve. Points that change are of
// origin kProjected.
void ChangeTlbTime(Curve& curve, std::span<const Tlb> before, std::span<const Tlb> after);

}  // namespace tare::machine_profile
