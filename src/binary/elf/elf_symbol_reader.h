// elf_symbol_reader.h: the entries of one symbol table, with a limit on the bytes of all names.
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
  // Nothing for an undefined, absolute or thread-local symbol, or one in a section of an object
  // file without bytes. Linkers leave mapping symbols of merged or unloaded sections with
  // meaningless addresses: check the flags first.
  std::optional<std::uint64_t> address;
  std::optional<std::uint64_t> section_flags;  // nothing where the file does not say
  std::uint64_t size = 0;
  std::uint32_t name = 0;  // for SymbolReader::Name
};

// Refers to `file`, which must outlive it.
class SymbolReader {
 public:
  // Names that share their bytes could together be far larger than the file: beyond
  // `max_name_bytes` all names are empty.
  SymbolReader(const ElfFile& file, const Section& table, std::uint64_t max_name_bytes);

  std::size_t Count() const { return entries_.size() / sizeof(Elf64_Sym); }
  // `number` is less than Count().
  SymbolEntry At(std::size_t number) const;
  // Empty where the string table ends before the name does; truncated where it is longer than any
  // compiler writes.
  std::string_view Name(std::uint32_t offset);
  // Does not count towards the limit.
  bool NameStartsWith(std::uint32_t offset, std::string_view prefix) const;

 private:
  std::uint32_t SectionOf(const Elf64_Sym& symbol, std::size_t number) const;

  const ElfFile& file_;
  std::span<const std::byte> entries_;
  std::string_view names_;
  std::span<const std::byte> section_numbers_;  // of symbols whose st_shndx is SHN_XINDEX
  std::uint64_t name_bytes_left_;
};

}  // namespace tare::elf
