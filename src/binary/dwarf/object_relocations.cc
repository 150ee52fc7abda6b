// object_relocations.cc: the relocations that compilers use in debug sections.
#include "binary/dwarf/object_relocations.h"

#include <cstring>
#include <optional>

#include "base/byte_reader.h"

namespace tare::dwarf {
namespace {

// Bytes that the relocation writes; 0 for those that have no meaning before the program runs.
std::optional<unsigned> WidthOf(std::uint16_t machine, std::uint32_t type) {
  if (machine == EM_X86_64) {
    if (type == R_X86_64_64) return 8;
    if (type == R_X86_64_32 || type == R_X86_64_32S) return 4;
    if (type == R_X86_64_NONE || type == R_X86_64_DTPOFF64 || type == R_X86_64_DTPOFF32) return 0;
  } else {
    if (type == R_AARCH64_ABS64) return 8;
    if (type == R_AARCH64_ABS32) return 4;
    if (type == R_AARCH64_NONE || type == R_AARCH64_TLS_DTPREL) return 0;
  }
  return std::nullopt;
}

template <typename T>
std::optional<T> Entry(std::span<const std::byte> table, std::uint64_t index) {
  if (index >= table.size() / sizeof(T)) return std::nullopt;
  T entry;
  std::memcpy(&entry, table.data() + index * sizeof(T), sizeof(T));
  return entry;
}

class SymbolValues {
 public:
  SymbolValues(const elf::ElfFile& file, std::uint32_t table) : file_(file) {
    if (table < file.sections.size()) symbols_ = file.sections[table].contents;
    for (const auto& section : file.sections)
      if (section.type == SHT_SYMTAB_SHNDX && section.link == table) far_ = section.contents;
  }

  // An address in a loaded section, an offset in others; 0 for an undefined symbol.
  std::optional<std::uint64_t> Of(std::uint64_t number) const {
    const auto symbol = Entry<Elf64_Sym>(symbols_, number);
    if (!symbol) return std::nullopt;
    std::uint64_t section = symbol->st_shndx;
    if (section == SHN_XINDEX) section = Entry<std::uint32_t>(far_, number).value_or(SHN_UNDEF);
    if (section == SHN_UNDEF) return 0;
    if (symbol->st_shndx == SHN_ABS) return symbol->st_value;
    if (section >= file_.sections.size()) return std::nullopt;
    const auto& home = file_.sections[section];
    return symbol->st_value + ((home.flags & SHF_ALLOC) != 0 ? home.address : 0);
  }

 private:
  const elf::ElfFile& file_;
  std::span<const std::byte> symbols_;
  std::span<const std::byte> far_;
};

}  // namespace

std::size_t ApplyRelocations(const elf::ElfFile& file, const elf::Section& relocations,
                             std::span<std::byte> contents) {
  const SymbolValues symbols(file, relocations.link);
  std::size_t failures = 0;
  ByteReader reader(relocations.contents);
  while (const auto entry = reader.Read<Elf64_Rela>()) {
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry->r_info));
    const auto width = WidthOf(file.header.e_machine, type);
    const auto symbol = symbols.Of(ELF64_R_SYM(entry->r_info));
    if (!width || !symbol || entry->r_offset > contents.size() ||
        *width > contents.size() - entry->r_offset) {
      ++failures;
      continue;
    }
    if (*width == 0) continue;
    const std::uint64_t value = *symbol + static_cast<std::uint64_t>(entry->r_addend);
    std::memcpy(contents.data() + entry->r_offset, &value, *width);
  }
  return failures;
}

}  // namespace tare::dwarf
