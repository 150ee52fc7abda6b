// elf_hostile_test.cc: tests malicious object files, tables and names.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "binary/elf/elf_image.h"
#include "synthetic_program.h"

namespace tare::elf {
namespace {

// Checks the guarantees of the header, whatever the bytes are.
void QueryEverything(const ElfImage& image) {
  std::uint64_t last = 0;
  for (const auto& range : image.data_in_code()) {
    ASSERT_LT(range.start, range.end);
    ASSERT_GE(range.start, last);
    last = range.end;
  }
  last = 0;
  for (const auto& reference : image.references()) {
    ASSERT_GE(reference.address, last);
    last = reference.address;
    ASSERT_EQ(image.ReferenceAt(reference.address)->address, reference.address);
    ASSERT_LE(reference.symbol.size(), image.file_bytes());
  }
  last = 0;
  for (const auto& table : image.virtual_tables()) {
    ASSERT_LT(table.start, table.end);
    ASSERT_GE(table.start, last);
    last = table.end;
    for (std::uint64_t slot = table.start; slot < table.end; slot += 8)
      ASSERT_TRUE(image.WordAt(slot));
  }
  last = 0;
  for (const auto& function : image.functions()) {
    ASSERT_LT(function.start, function.end);
    ASSERT_GE(function.start, last);
    last = function.end;
  }
}

class DamagedSample : public ::testing::TestWithParam<const char*> {};

TEST_P(DamagedSample, CutAtEveryByteIsRefusedOrRead) {
  const std::string bytes = Sample(GetParam());
  ASSERT_GT(bytes.size(), 1000U);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    if (const auto image = ElfImage::Parse(bytes.substr(0, size))) QueryEverything(*image);
}

TEST_P(DamagedSample, WithAnyByteInvertedItDoesNoHarm) {
  const std::string bytes = Sample(GetParam());
  ASSERT_GT(bytes.size(), 1000U);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int mask : {0xff, 0x80, 0x01}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      if (const auto image = ElfImage::Parse(std::move(damaged))) QueryEverything(*image);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DamagedSample,
                         ::testing::Values("aarch64-virtual-tables", "x86_64-packed-relocations",
                                           "aarch64-virtual-tables-object",
                                           "x86_64-virtual-tables-object"));

template <typename T>
void Append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// An AArch64 library with code, one symbol table, and names. All symbols are in the code.
std::string Library(const std::vector<Elf64_Sym>& symbols, const std::string& names,
                    std::size_t code_bytes) {
  const std::uint64_t code_at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  const std::uint64_t symbols_at = code_at + code_bytes;
  const std::uint64_t names_at = symbols_at + symbols.size() * sizeof(Elf64_Sym);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_AARCH64;
  header.e_phoff = sizeof(header);
  header.e_phnum = 1;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shoff = names_at + names.size();
  header.e_shnum = 4;
  header.e_shentsize = sizeof(Elf64_Shdr);
  Elf64_Phdr load{};
  load.p_type = PT_LOAD;
  load.p_flags = PF_R | PF_X;
  load.p_filesz = load.p_memsz = symbols_at;
  std::string bytes;
  Append(bytes, header);
  Append(bytes, load);
  bytes.append(code_bytes, '\x1f');
  for (const auto& symbol : symbols) Append(bytes, symbol);
  bytes += names;
  const Elf64_Shdr sections[] = {
      {},
      {0, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code_at, code_at, code_bytes, 0, 0, 4, 0},
      {0, SHT_SYMTAB, 0, 0, symbols_at, names_at - symbols_at, 3, 0, 8, sizeof(Elf64_Sym)},
      {0, SHT_STRTAB, 0, 0, names_at, names.size(), 0, 0, 1, 0}};
  for (const auto& section : sections) Append(bytes, section);
  return bytes;
}

Elf64_Sym FunctionSymbol(std::uint32_t name, std::uint64_t address, std::uint64_t size) {
  Elf64_Sym symbol{};
  symbol.st_name = name;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = 1;
  symbol.st_value = address;
  symbol.st_size = size;
  return symbol;
}

constexpr std::uint64_t kCode = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);

TEST(HostileNames, ThatShareTheirBytesStayWithinTheSizeOfTheFile) {
  // Every symbol's name is a suffix of the same two megabytes: a terabyte of names.
  constexpr std::uint32_t kSymbols = 40000;
  std::string names(2 << 20, 'a');
  names.back() = '\0';
  std::vector<Elf64_Sym> symbols;
  for (std::uint32_t i = 0; i < kSymbols; ++i)
    symbols.push_back(FunctionSymbol(i, kCode + 4 * i, 4));
  const std::string bytes = Library(symbols, names, 4 * kSymbols);
  const std::size_t file_bytes = bytes.size();
  const auto image = ElfImage::Parse(bytes);
  ASSERT_TRUE(image) << image.error().message;
  std::size_t sum = 0;
  for (const auto& function : image->functions()) sum += function.name.size();
  EXPECT_LE(sum, 3 * file_bytes + (1 << 20));
}

TEST(HostileNames, WithoutAnEndAreNone) {
  const std::string names(100, 'a');
  const auto image = ElfImage::Parse(Library({FunctionSymbol(1, kCode, 8)}, names, 16));
  ASSERT_TRUE(image);
  for (const auto& function : image->functions()) EXPECT_EQ(function.name.substr(0, 4), "sub_");
}

TEST(HostileSymbols, ManyAtOneAddressAndManyNestedAreOneList) {
  std::vector<Elf64_Sym> symbols;
  std::string names("\0f\0", 3);
  for (std::uint32_t i = 0; i < 200000; ++i)
    symbols.push_back(FunctionSymbol(1, kCode + i % 1000, 100000));
  const auto image = ElfImage::Parse(Library(symbols, names, 4000));
  ASSERT_TRUE(image);
  QueryEverything(*image);
  EXPECT_EQ(image->functions().back().end, kCode + 4000);
}

TEST(HostileRelocations, ABitmapCannotNameMoreWordsThanTheFileHas) {
  std::string bytes = Sample("x86_64-packed-relocations");
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  int changed = 0;
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    const std::size_t at = header.e_shoff + static_cast<std::size_t>(i) * sizeof(section);
    std::memcpy(&section, bytes.data() + at, sizeof(section));
    if (section.sh_type != SHT_RELR) continue;
    std::memset(bytes.data() + section.sh_offset, 0xff, section.sh_size);
    section.sh_offset = 0;
    section.sh_size = bytes.size();
    std::memcpy(bytes.data() + at, &section, sizeof(section));
    ++changed;
  }
  ASSERT_EQ(changed, 1);
  const auto image = ElfImage::Parse(bytes);
  ASSERT_TRUE(image);
  EXPECT_LE(image->references().size(), bytes.size() / 8 + bytes.size() / 24);
  QueryEverything(*image);
}

}  // namespace
}  // namespace tare::elf
