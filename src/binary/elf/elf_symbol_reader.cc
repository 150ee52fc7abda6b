// elf_symbol_reader.cc: reading the 24-byte entries of a symbol table.
#include "binary/elf/elf_symbol_reader.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace tare::elf {
namespace {

constexpr std::size_t kLongestSymbol = std::size_t{64} << 10;

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

SymbolReader::SymbolReader(const ElfFile& file, const Section& table, std::uint64_t max_name_bytes)
    : file_(file), entries_(table.contents), name_bytes_left_(max_name_bytes) {
  if (table.link < file.sections.size()) names_ = AsText(file.sections[table.link].contents);
  const auto number = static_cast<std::size_t>(&table - file.sections.data());
  for (const auto& section : file.sections)
    if (section.type == SHT_SYMTAB_SHNDX && section.link == number && file.IsObject())
      section_numbers_ = section.contents;
}

std::uint32_t SymbolReader::SectionOf(const Elf64_Sym& symbol, std::size_t number) const {
  std::uint32_t section = symbol.st_shndx;
  if (section != SHN_XINDEX) return section >= SHN_LORESERVE ? std::uint32_t{SHN_UNDEF} : section;
  if (number >= section_numbers_.size() / sizeof(section)) return SHN_UNDEF;
  std::memcpy(&section, section_numbers_.data() + number * sizeof(section), sizeof(section));
  return section;
}

SymbolEntry SymbolReader::At(std::size_t number) const {
  CHECK(number < Count());
  Elf64_Sym symbol;
  std::memcpy(&symbol, entries_.data() + number * sizeof(symbol), sizeof(symbol));
  SymbolEntry entry;
  entry.type = ELF64_ST_TYPE(symbol.st_info);
  entry.binding = ELF64_ST_BIND(symbol.st_info);
  entry.size = symbol.st_size;
  entry.name = symbol.st_name;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) return entry;
  const std::uint32_t section = SectionOf(symbol, number);
  const bool known = section != SHN_UNDEF && section < file_.sections.size();
  if (known) entry.section_flags = file_.sections[section].flags;
  if (!file_.IsObject()) {
    if (entry.type != STT_TLS) entry.address = symbol.st_value;
  } else if (known && !file_.sections[section].contents.empty()) {
    entry.address = file_.sections[section].address + symbol.st_value;
  }
  return entry;
}

std::string_view SymbolReader::Name(std::uint32_t offset) {
  if (offset >= names_.size() || name_bytes_left_ == 0) return {};
  const std::string_view rest = names_.substr(offset);
  const std::string_view within = rest.substr(0, kLongestSymbol);
  const std::size_t end = within.find('\0');
  if (end == std::string_view::npos && within.size() == rest.size()) {
    name_bytes_left_ -= std::min<std::uint64_t>(name_bytes_left_, within.size());
    return {};
  }
  const std::string_view name = within.substr(0, end);
  name_bytes_left_ -= std::min<std::uint64_t>(name_bytes_left_, name.size());
  return name;
}

bool SymbolReader::NameStartsWith(std::uint32_t offset, std::string_view prefix) const {
  return offset < names_.size() && names_.substr(offset).starts_with(prefix);
}

}  // namespace tare::elf
