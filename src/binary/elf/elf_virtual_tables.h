// elf_virtual_tables.h: the virtual tables of C++ classes (Itanium ABI).
#pragma once

#include <vector>

#include "binary/elf/elf_image.h"
#include "binary/elf/symbol_table.h"

namespace tare::elf {

// Those that symbols name, and those that follow a pointer to a typeinfo. The latter may extend too
// far where a table of plain function pointers follows. Needs the image's segments and references.
// Sorted and disjoint.
std::vector<VirtualTable> VirtualTables(const ElfImage& image, std::vector<TableSymbol> symbols);

}  // namespace tare::elf
