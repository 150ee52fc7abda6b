// counter_sites.h: where in a module's code its counters are added to, as the compiler wrote it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace tare::format {

struct CounterSite {
  // One or more. The code generator tags every instruction that it makes of one store: an
  // instruction that computes its address, and each copy of a copied block.
  std::vector<std::uint64_t> addresses;
  std::uint32_t slot = 0;   // of the unit, or a stretch's number
  std::uint32_t flags = 0;  // TARE_SITE_...
  std::uint64_t unit = 0;   // its id
};

// `section` are the bytes of a section of sites, which starts at `address`. kFormat when its last
// record is cut or a record names no instruction.
Result<std::vector<CounterSite>> ReadCounterSites(std::span<const std::byte> section,
                                                  std::uint64_t address);

}  // namespace tare::format
