// counter_sites.cc: parses site records, each with a zero-terminated list of instructions.
#include "format/counter_sites.h"

#include "base/byte_reader.h"
#include "format/counters_wire.h"

namespace tare::format {

Result<std::vector<CounterSite>> ReadCounterSites(std::span<const std::byte> section,
                                                  std::uint64_t address) {
  std::vector<CounterSite> sites;
  ByteReader reader(section);
  while (!reader.AtEnd()) {
    CounterSite site;
    while (true) {
      const std::uint64_t place = address + reader.Position();
      TRY(const auto offset, reader.Read<std::int32_t>());
      if (offset == 0) break;
      site.addresses.push_back(place + static_cast<std::uint64_t>(std::int64_t{offset}));
    }
    if (site.addresses.empty()) {
      return Fail(ErrorKind::kFormat, "a counter site has no instruction");
    }
    TRY(const auto counter, reader.Read<tare_counters_site>());
    site.slot = counter.slot & TARE_SITE_SLOT;
    site.flags = counter.slot & ~TARE_SITE_SLOT;
    site.unit = counter.unit;
    sites.push_back(std::move(site));
  }
  return sites;
}

}  // namespace tare::format
