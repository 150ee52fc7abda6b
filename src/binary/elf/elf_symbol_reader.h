// elf_symbol_reader.h: the entries of one table of symbols, with a limit on what names may cost.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "binary/elf/elf_file.h"

namespace tare::elf {

struct SymbolEntry {
  unsigned char type = STT_NOTYPE;
  unsigned char binding = STB_LOCAL;
  // Nothing for a symbol of another file, of no section, of thread-local storage, or in a section
  // of an object file that holds no bytes. Linkers leave marks of data in sections that are merged
  // or not loaded with addresses that mean nothing: look at the flags first.
  std::optional<std::uint64_t> address;
  std::optional<std::uint64_t> section_flags;  // nothing where the file does not tell
  std::uint64_t size = 0;
  std::uint32_t name = 0;  // for SymbolReader::Name
};

// Points to `file`, which must outlive it.
class SymbolReader {
 public:
  // Names that share their bytes could together be far larger than the file: behind
  // `max_name_bytes` all are empty.
  SymbolReader(const ElfFile& file, const Section& table, std::uint64_t max_name_bytes);

  std::size_t Count() const { return entries_.size() / sizeof(Elf64_Sym); }
  // `number` is less than Count().
  SymbolEntry At(std::size_t number) const;
  // Empty where the table of names ends before it does; cut where it is longer than any compiler
  // writes.
  std::string_view Name(std::uint32_t offset);
  // Costs nothing.
  bool NameStartsWith(std::uint32_t offset, std::string_view prefix) const;

 private:
  std::uint32_t SectionOf(const Elf64_Sym& symbol, std::size_t number) const;

  const ElfFile& file_;
  std::span<const std::byte> entries_;
  std::string_view names_;
  std::span<const std::byte> section_numbers_;  // of symbols whose own field is too narrow
  std::uint64_t name_bytes_left_;
};

}  // namespace tare::elf
