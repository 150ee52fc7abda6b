// address_range.h: stretches of addresses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare::elf {

struct AddressRange {
  std::uint64_t start;
  std::uint64_t end;  // first byte behind it
  bool Contains(std::uint64_t address) const { return start <= address && address < end; }
};

// The range that holds the address, or null. Ranges must be sorted and apart.
const AddressRange* RangeAt(std::span<const AddressRange> ranges, std::uint64_t address);

// Sorts them and joins those that touch or overlap.
void MergeRanges(std::vector<AddressRange>& ranges);

}  // namespace tare::elf
