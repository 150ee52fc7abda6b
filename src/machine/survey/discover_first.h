// discover_first.h: the first-level data cache: its capacity, line and ways.
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
  Measured found;    // measured capacity in bytes
  double bytes = 0;  // nominal capacity
  double near = 0;   // seconds per load of a random walk within it
  double rise = 0;   // additional seconds of a load beyond it
};

// Nothing when all loads up to half a mebibyte cost the same. `memory` must contain zeros and be a
// few mebibytes large; this also applies to the functions below.
Result<std::optional<FirstCache>> FindFirstCache(Bench& bench, std::span<const std::byte> memory,
                                                 bool quick);

// Nothing when it cannot be determined.
Result<std::optional<std::uint64_t>> FindLineSize(Bench& bench, std::span<const std::byte> memory,
                                                  const FirstCache& first, bool quick);
Result<std::optional<SharedSet>> FindFirstSet(Bench& bench, std::span<const std::byte> memory,
                                              const FirstCache& first, bool quick);

}  // namespace tare::survey
