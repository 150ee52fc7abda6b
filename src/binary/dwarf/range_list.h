// range_list.h: code that lies in several pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "binary/dwarf/unit.h"

namespace tare::dwarf {

// Reads the list that a DW_AT_ranges of the unit names and adds its pieces to `ranges` as they
// stand there. Each entry takes one from `budget`; false when that is used up or the list is
// damaged.
bool AddRanges(const DebugSections& sections, const Unit& unit, const FormValue& value,
               std::uint64_t& budget, std::vector<elf::AddressRange>& ranges);

}  // namespace tare::dwarf
