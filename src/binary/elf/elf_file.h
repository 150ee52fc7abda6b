// elf_file.h: the headers of an ELF file, checked, and its sections as bytes.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "binary/elf/address_range.h"

namespace tare::elf {

struct Section {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;  // in an object file: its offset in the file
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t entry_bytes = 0;
  std::span<const std::byte> contents;  // empty where the file holds none or not all of them
};

// All views point into the bytes that it was read from.
struct ElfFile {
  std::span<const std::byte> bytes;
  Elf64_Ehdr header;
  std::vector<Elf64_Phdr> program_headers;
  std::vector<Section> sections;  // by number; empty where the file has no table of them

  bool IsObject() const { return header.e_type == ET_REL; }
  const Section* FindSection(std::string_view name) const;
  // What a program header describes; empty when it lies outside.
  std::span<const std::byte> Contents(const Elf64_Phdr& header) const;
  // Executable sections, or else segments; ascending and apart from each other.
  std::vector<AddressRange> CodeRanges() const;
  // The value of the first entry with this tag in the dynamic section.
  std::optional<std::uint64_t> Dynamic(std::int64_t tag) const;
  std::string BuildId() const;
};

// Errors: kUnsupported for what is no ELF file of our machines, with a sentence that says what it
// is instead; kFormat for damage.
Result<ElfFile> ReadElfFile(std::span<const std::byte> bytes);

}  // namespace tare::elf
