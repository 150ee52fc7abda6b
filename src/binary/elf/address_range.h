// address_range.h: half-open ranges of addresses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tare::elf {

struct AddressRange {
  std::uint64_t start;
  std::uint64_t end;  // exclusive
  bool Contains(std::uint64_t address) const { return start <= address && address < end; }
};

// The range that contains the address, or null. Ranges must be sorted and disjoint.
const AddressRange* RangeAt(std::span<const AddressRange> ranges, std::uint64_t address);

// Sorts the ranges and merges those that touch or overlap.
void MergeRanges(std::vector<AddressRange>& ranges);

}  // namespace tare::elf
