// symbol_table.h: the symbols of code and the relocations that an ELF file holds.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "binary/elf_file.h"

namespace tare::binary {

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

// A word of memory that the loader fills.
struct Relocation {
  std::uint64_t address = 0;
  std::string_view symbol;          // empty for one without
  std::uint64_t value = 0;          // the address it will hold, less the bias; 0 for unknown
  bool chosen_at_run_time = false;  // `value` is a resolver
};

// Symbols that name code of this file, in the order of its tables.
std::vector<CodeSymbol> CodeSymbols(const ElfFile& file);

// Sorted by address. Those of an object file are left away.
std::vector<Relocation> Relocations(const ElfFile& file);

// The symbol of each row of .rela.plt, in its order.
std::vector<Relocation> PltRelocations(const ElfFile& file);

}  // namespace tare::binary
