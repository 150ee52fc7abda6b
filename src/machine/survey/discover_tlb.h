// discover_tlb.h: page sizes and the TLBs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "machine/survey/discover_first.h"

namespace tare::survey {

// One TLB level.
struct TlbLevel {
  Measured found;    // pages of kBlockBytes, or of the requested size
  double pages = 0;  // nominal number of entries
  Measured miss;     // additional seconds of a load that misses it
};

struct Tlbs {
  std::vector<TlbLevel> levels;
  std::vector<CostSamples> curve;  // seconds per load, by pages
  double near = 0;                 // seconds of a load that hits the first TLB
};

// One load on each of a growing number of pages, `page_bytes` apart, up to the size of `memory`.
Result<Tlbs> FindTlbs(Bench& bench, std::span<const std::byte> memory, std::uint64_t page_bytes,
                      const FirstCache& first, bool quick);

// The smallest distance at which each place has its own TLB entry. Needs a level of `small`.
// Nothing when `memory` is too small to determine it.
Result<std::optional<std::uint64_t>> FindPageSize(Bench& bench, std::span<const std::byte> memory,
                                                  const Tlbs& small, bool quick);

}  // namespace tare::survey
