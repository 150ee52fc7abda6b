// counter_sites_fuzz.cc: reads arbitrary sections of counter sites.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "format/counter_sites.h"
#include "format/counters_wire.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto sites = tare::format::ReadCounterSites(std::as_bytes(std::span(data, size)), 0x1000);
  if (!sites) return 0;
  // A section that parses must be consumed to its last byte.
  std::size_t bytes = 0;
  for (const auto& site : *sites) {
    CHECK(!site.addresses.empty());
    bytes += 4 * (site.addresses.size() + 1) + sizeof(tare_counters_site);
  }
  CHECK(bytes == size);
  return 0;
}
