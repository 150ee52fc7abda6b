// debug_sections.h: the debug sections of a file, decompressed and relocated.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf/elf_file.h"

namespace tare::dwarf {

// Views of the file's bytes where possible, otherwise of copies that it owns.
class DebugSections {
 public:
  // The file's bytes must outlive it.
  explicit DebugSections(const elf::ElfFile& file);
  DebugSections(const DebugSections&) = delete;
  DebugSections& operator=(const DebugSections&) = delete;

  std::span<const std::byte> info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists;
  // Ranges that can contain code: ascending and disjoint.
  std::vector<elf::AddressRange> code;
  std::vector<std::string> problems;

  std::uint64_t Bytes() const;
  // The end of the code range that contains `address`; 0 where there is no code, as for functions
  // that the linker discarded.
  std::uint64_t CodeEnd(std::uint64_t address) const;

 private:
  std::span<const std::byte> Load(const elf::ElfFile& file, std::string_view name);

  std::vector<std::vector<std::byte>> owned_;
};

}  // namespace tare::dwarf
