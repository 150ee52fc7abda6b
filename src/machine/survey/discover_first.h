// discover_first.h: the cache nearest to the core: its capacity, line and ways.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "machine/survey/associativity.h"
#include "machine/survey/capacity_residency.h"
#include "machine/survey/discover_curves.h"

namespace tare::survey {

struct FirstCache {
  Ranged found;      // bytes that stay near
  double bytes = 0;  // that it was built with
  double near = 0;   // seconds of a load of a random walk in it
  double rise = 0;   // seconds that a load takes longer beyond it
};

// Nothing when no load up to half a mebibyte costs more than another. `memory` holds zeros and is a
// few mebibytes large, as for all that follow.
Result<std::optional<FirstCache>> FindFirstCache(Bench& bench, std::span<const std::byte> memory,
                                                 bool quick);

// Nothing when it cannot be told.
Result<std::optional<std::uint64_t>> FindLineSize(Bench& bench, std::span<const std::byte> memory,
                                                  const FirstCache& first, bool quick);
Result<std::optional<SharedSet>> FindFirstSet(Bench& bench, std::span<const std::byte> memory,
                                              const FirstCache& first, bool quick);

}  // namespace tare::survey
