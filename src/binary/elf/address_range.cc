// address_range.cc: sorted lists of ranges.
#include "binary/elf/address_range.h"

#include <algorithm>
#include <utility>

namespace tare::elf {

const AddressRange* RangeAt(std::span<const AddressRange> ranges, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(ranges, address, {}, &AddressRange::start);
  if (after == ranges.begin() || !std::prev(after)->Contains(address)) return nullptr;
  return &*std::prev(after);
}

void MergeRanges(std::vector<AddressRange>& ranges) {
  std::ranges::sort(ranges, {},
                    [](const AddressRange& one) { return std::pair(one.start, one.end); });
  std::vector<AddressRange> merged;
  for (const auto& range : ranges) {
    if (!merged.empty() && range.start <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      merged.push_back(range);
    }
  }
  ranges = std::move(merged);
}

}  // namespace tare::elf
