// symbol_table.h: the symbols of an ELF file that describe its code.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "binary/elf/elf_file.h"

namespace tare::elf {

struct CodeSymbol {
  std::string_view name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // 0: unknown
  bool dynamic = false;    // from .dynsym
  bool exported = false;   // global or weak
  bool weak = false;
  bool ifunc = false;
  bool typed = true;  // false: a label of assembly code
};

// A symbol _ZTV...: all virtual tables of a class, including their prefixes.
struct TableSymbol {
  std::string_view name;
  AddressRange range;
};

struct Symbols {
  std::vector<CodeSymbol> code;             // in the order of the file's tables
  std::vector<AddressRange> data_in_code;   // sorted and disjoint
  std::vector<TableSymbol> virtual_tables;  // in the order of the file's tables
};

// Reads .symtab and .dynsym. Names are views into the bytes of the file.
Symbols ReadSymbols(const ElfFile& file);

}  // namespace tare::elf
