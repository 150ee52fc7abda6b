// elf_file.h: the validated headers of an ELF file, and its sections as bytes.
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
  std::span<const std::byte> contents;  // empty where the file has none or not all of them
};

// All views point into the bytes from which it was read.
struct ElfFile {
  std::span<const std::byte> bytes;
  Elf64_Ehdr header;
  std::vector<Elf64_Phdr> program_headers;
  std::vector<Section> sections;  // by index; empty where the file has no section headers

  bool IsObject() const { return header.e_type == ET_REL; }
  const Section* FindSection(std::string_view name) const;
  // The contents of a segment; empty when it is outside of the file.
  std::span<const std::byte> Contents(const Elf64_Phdr& header) const;
  // Executable sections, or segments if there are none; ascending and disjoint.
  std::vector<AddressRange> CodeRanges() const;
  // The value of the first entry with this tag in the dynamic section.
  std::optional<std::uint64_t> Dynamic(std::int64_t tag) const;
  std::string BuildId() const;
};

// Errors: kUnsupported for anything but a 64-bit x86-64 or AArch64 ELF file, with a sentence about
// what it is; kFormat for damage.
Result<ElfFile> ReadElfFile(std::span<const std::byte> bytes);

}  // namespace tare::elf
