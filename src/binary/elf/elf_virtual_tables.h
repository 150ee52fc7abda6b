// elf_virtual_tables.h: the tables of virtual functions that a C++ compiler made (Itanium ABI).
#pragma once

#include <vector>

#include "binary/elf/elf_image.h"
#include "binary/elf/symbol_table.h"

namespace tare::elf {

// Those that symbols name, and those that lie behind a pointer to a type's description
// (typeinfo). The latter may reach too far where a table of plain functions follows. Needs the
// image's segments and references. Sorted and apart.
std::vector<VirtualTable> VirtualTables(const ElfImage& image, std::vector<TableSymbol> symbols);

}  // namespace tare::elf
