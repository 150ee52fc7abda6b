// symbol_table.cc: reads .symtab, .dynsym and the tables of relocations.
#include "binary/symbol_table.h"

#include <algorithm>
#include <tuple>

#include "base/byte_reader.h"

namespace tare::binary {
namespace {

std::string_view TextAt(std::span<const std::byte> texts, std::uint64_t offset) {
  ByteReader reader(texts);
  if (!reader.Seek(offset)) return {};
  const auto text = reader.ReadTerminatedText();
  return text ? *text : std::string_view();
}

std::span<const std::byte> LinkedContents(const ElfFile& file, const Section& section) {
  return section.link < file.sections.size() ? file.sections[section.link].contents
                                             : std::span<const std::byte>();
}

// $x and $d tell code from data, .L labels are the compiler's own.
bool IsMark(std::string_view name) {
  return name.empty() || name.starts_with("$") || name.starts_with(".L");
}

bool InCode(const std::vector<AddressRange>& code, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(code, address, {}, &AddressRange::start);
  return after != code.begin() && std::prev(after)->Contains(address);
}

void AddSymbols(const ElfFile& file, const Section& table, const std::vector<AddressRange>& code,
                std::vector<CodeSymbol>& symbols) {
  const auto texts = LinkedContents(file, table);
  ByteReader reader(table.contents);
  while (const auto entry = reader.Read<Elf64_Sym>()) {
    const auto type = ELF64_ST_TYPE(entry->st_info);
    const auto binding = ELF64_ST_BIND(entry->st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) continue;
    // A label that nobody else can name is a place inside of a function.
    if (type == STT_NOTYPE && binding == STB_LOCAL) continue;
    if (entry->st_shndx == SHN_UNDEF || entry->st_shndx == SHN_ABS) continue;
    CodeSymbol symbol;
    symbol.address = entry->st_value;
    if (file.IsObject()) {
      if (entry->st_shndx >= file.sections.size()) continue;
      symbol.address += file.sections[entry->st_shndx].address;
    }
    if (!InCode(code, symbol.address)) continue;
    symbol.name = TextAt(texts, entry->st_name);
    if (IsMark(symbol.name)) continue;
    symbol.size = entry->st_size;
    symbol.dynamic = table.type == SHT_DYNSYM;
    symbol.exported = binding != STB_LOCAL;
    symbol.weak = binding == STB_WEAK;
    symbol.ifunc = type == STT_GNU_IFUNC;
    symbol.typed = type != STT_NOTYPE;
    symbols.push_back(symbol);
  }
}

void AddRelocations(const ElfFile& file, const Section& table, std::vector<Relocation>& all) {
  std::span<const std::byte> symbols;
  std::span<const std::byte> texts;
  if (table.link < file.sections.size()) {
    symbols = file.sections[table.link].contents;
    texts = LinkedContents(file, file.sections[table.link]);
  }
  const bool x86 = file.header.e_machine == EM_X86_64;
  const std::uint32_t relative = x86 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE;
  const std::uint32_t resolved = x86 ? R_X86_64_IRELATIVE : R_AARCH64_IRELATIVE;
  ByteReader reader(table.contents);
  while (const auto entry = reader.Read<Elf64_Rela>()) {
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry->r_info));
    const std::uint64_t number = ELF64_R_SYM(entry->r_info);
    Relocation relocation;
    relocation.address = entry->r_offset;
    relocation.chosen_at_run_time = type == resolved;
    if (type == relative || type == resolved) {
      relocation.value = static_cast<std::uint64_t>(entry->r_addend);
    } else if (number != 0 && number < symbols.size() / sizeof(Elf64_Sym)) {
      ByteReader symbol_reader(symbols);
      if (!symbol_reader.Seek(number * sizeof(Elf64_Sym))) continue;
      const auto symbol = symbol_reader.Read<Elf64_Sym>();
      if (!symbol) continue;
      relocation.symbol = TextAt(texts, symbol->st_name);
      if (symbol->st_shndx != SHN_UNDEF)
        relocation.value = symbol->st_value + static_cast<std::uint64_t>(entry->r_addend);
    }
    all.push_back(relocation);
  }
}

}  // namespace

std::vector<CodeSymbol> CodeSymbols(const ElfFile& file) {
  const auto code = file.CodeRanges();
  std::vector<CodeSymbol> symbols;
  for (const auto& section : file.sections)
    if (section.type == SHT_SYMTAB || section.type == SHT_DYNSYM)
      AddSymbols(file, section, code, symbols);
  return symbols;
}

std::vector<Relocation> Relocations(const ElfFile& file) {
  std::vector<Relocation> all;
  if (file.IsObject()) return all;
  for (const auto& section : file.sections)
    if (section.type == SHT_RELA && (section.flags & SHF_ALLOC) != 0)
      AddRelocations(file, section, all);
  std::ranges::sort(
      all, {}, [](const Relocation& one) { return std::tie(one.address, one.symbol, one.value); });
  return all;
}

std::vector<Relocation> PltRelocations(const ElfFile& file) {
  std::vector<Relocation> all;
  if (const Section* table = file.FindSection(".rela.plt"); table != nullptr && !file.IsObject())
    AddRelocations(file, *table, all);
  return all;
}

}  // namespace tare::binary
