// range_list.h: lists of non-contiguous code ranges.
#pragma once

#include <cstdint>
#include <vector>

#include "binary/dwarf/unit.h"

namespace tare::dwarf {

// Appends the list that a DW_AT_ranges of the unit refers to, in its order. Each entry decrements
// `budget`; false when it is used up or the list is damaged.
bool AddRanges(const DebugSections& sections, const Unit& unit, const FormValue& value,
               std::uint64_t& budget, std::vector<elf::AddressRange>& ranges);

}  // namespace tare::dwarf
