// counter_sites.h: the instructions that increment a module's counters, as recorded by the
// compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace tare::format {

struct CounterSite {
  // At least one. The code generator records every instruction that it emits for a store, including
  // one that computes its address, and every copy if it duplicates the block.
  std::vector<std::uint64_t> addresses;
  std::uint32_t slot = 0;   // slot in the unit, or the number of a stretch
  std::uint32_t flags = 0;  // TARE_SITE_...
  std::uint64_t unit = 0;   // id of the unit
};

// `section` is the contents of a section of sites that starts at `address`. Fails (kFormat) if the
// last record is truncated or a record has no instruction.
Result<std::vector<CounterSite>> ReadCounterSites(std::span<const std::byte> section,
                                                  std::uint64_t address);

}  // namespace tare::format
