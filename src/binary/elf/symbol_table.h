// symbol_table.h: what the symbols of an ELF file tell about its code.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "binary/elf/elf_file.h"

namespace tare::elf {

struct CodeSymbol {
  std::string_view name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // 0 for unknown
  bool dynamic = false;    // from .dynsym
  bool exported = false;   // global or weak
  bool weak = false;
  bool ifunc = false;
  bool typed = true;  // false for a label of assembly code
};

// A symbol _ZTV...: all tables of a class, with the words before each.
struct TableSymbol {
  std::string_view name;
  AddressRange range;
};

struct Symbols {
  std::vector<CodeSymbol> code;             // in the order of the file's tables
  std::vector<AddressRange> data_in_code;   // sorted and apart
  std::vector<TableSymbol> virtual_tables;  // in the order of the file's tables
};

// Of .symtab and .dynsym. Names are views into the bytes of the file.
Symbols ReadSymbols(const ElfFile& file);

}  // namespace tare::elf
