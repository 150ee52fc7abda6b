// elf_file.cc: every offset and size in the file is checked against the size of the file.
#include "binary/elf/elf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/byte_reader.h"
#include "base/printable.h"
#include "binary/decode/architecture.h"
#include "binary/elf/elf_image.h"

namespace tare::elf {
namespace {

constexpr std::string_view kWeRead = "tare reads 64-bit x86-64 and AArch64";

std::string MachineName(std::uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "i386";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "Arm";
    case EM_AARCH64:
      return "AArch64";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC:
    case EM_PPC64:
      return "PowerPC";
    case EM_S390:
      return "s390";
    case EM_MIPS:
      return "MIPS";
    case EM_LOONGARCH:
      return "LoongArch";
    default:
      return fmt::format("machine number {}", machine);
  }
}

std::unexpected<Error> CutShort(std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("a damaged ELF file: {} outside of the file", what));
}

std::optional<std::span<const std::byte>> Part(std::span<const std::byte> bytes,
                                               std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

Result<void> CheckKind(std::span<const std::byte> bytes) {
  if (const auto interpreter = ScriptInterpreter(bytes))
    return Fail(ErrorKind::kUnsupported,
                fmt::format("a script for {}, not a program; measure its interpreter",
                            Printable(*interpreter)));
  if (bytes.size() < EI_NIDENT || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    return Fail(ErrorKind::kUnsupported, "not an ELF file");
  const auto ident = [&](int index) {
    return std::to_integer<int>(bytes[static_cast<std::size_t>(index)]);
  };
  if (ident(EI_DATA) == ELFDATA2MSB)
    return Fail(ErrorKind::kUnsupported,
                fmt::format("a program for a big-endian machine: {}", kWeRead));
  if (ident(EI_DATA) != ELFDATA2LSB || ident(EI_VERSION) != EV_CURRENT)
    return Fail(ErrorKind::kFormat, "a damaged ELF file: its header is invalid");
  std::uint16_t machine = 0;
  if (bytes.size() >= 20) std::memcpy(&machine, bytes.data() + 18, sizeof(machine));
  if (ident(EI_CLASS) == ELFCLASS32)
    return Fail(ErrorKind::kUnsupported,
                fmt::format("a 32-bit program for {}: {}",
                            machine == EM_X86_64 ? "x32" : MachineName(machine), kWeRead));
  if (ident(EI_CLASS) != ELFCLASS64)
    return Fail(ErrorKind::kFormat, "a damaged ELF file: its header is invalid");
  if (bytes.size() >= 20 && !decode::ArchitectureOf(machine))
    return Fail(ErrorKind::kUnsupported,
                fmt::format("a program for {}: {}", MachineName(machine), kWeRead));
  return {};
}

template <typename T>
Result<std::vector<T>> ReadTable(std::span<const std::byte> bytes, std::uint64_t offset,
                                 std::uint64_t count, std::uint64_t entry_bytes,
                                 std::string_view what) {
  std::vector<T> table;
  if (count == 0) return table;
  if (entry_bytes != sizeof(T))
    return Fail(ErrorKind::kFormat, fmt::format("a damaged ELF file: {} of unknown size", what));
  if (count > bytes.size() / sizeof(T)) return CutShort(what);
  const auto part = Part(bytes, offset, count * sizeof(T));
  if (!part) return CutShort(what);
  table.resize(static_cast<std::size_t>(count));
  std::memcpy(table.data(), part->data(), part->size());
  return table;
}

std::string_view NameAt(std::span<const std::byte> names, std::uint64_t offset) {
  ByteReader reader(names);
  if (!reader.Seek(offset)) return {};
  const auto name = reader.ReadTerminatedText();
  return name ? *name : std::string_view();
}

Result<std::vector<Elf64_Shdr>> ReadSectionHeaders(std::span<const std::byte> bytes,
                                                   const Elf64_Ehdr& header) {
  if (header.e_shoff == 0) return std::vector<Elf64_Shdr>();
  std::uint64_t count = header.e_shnum;
  if (count == 0) {
    // More sections than fit into 16 bits: sh_size of the first header is the count (elf(5)).
    TRY(const auto first,
        ReadTable<Elf64_Shdr>(bytes, header.e_shoff, 1, header.e_shentsize, "section headers"));
    count = first[0].sh_size;
  }
  return ReadTable<Elf64_Shdr>(bytes, header.e_shoff, count, header.e_shentsize, "section headers");
}

std::vector<Section> Sections(std::span<const std::byte> bytes, const Elf64_Ehdr& header,
                              const std::vector<Elf64_Shdr>& headers) {
  std::uint64_t names_number = header.e_shstrndx;
  if (names_number == SHN_XINDEX && !headers.empty()) names_number = headers[0].sh_link;
  std::span<const std::byte> names;
  if (names_number < headers.size()) {
    const auto& table = headers[names_number];
    names = Part(bytes, table.sh_offset, table.sh_size).value_or(std::span<const std::byte>());
  }
  std::vector<Section> sections;
  for (const auto& one : headers) {
    Section section;
    section.name = NameAt(names, one.sh_name);
    section.type = one.sh_type;
    section.flags = one.sh_flags;
    section.address = header.e_type == ET_REL ? one.sh_offset : one.sh_addr;
    section.link = one.sh_link;
    section.info = one.sh_info;
    section.entry_bytes = one.sh_entsize;
    if (one.sh_type != SHT_NOBITS && one.sh_type != SHT_NULL)
      section.contents =
          Part(bytes, one.sh_offset, one.sh_size).value_or(std::span<const std::byte>());
    sections.push_back(section);
  }
  return sections;
}

// The build id in a sequence of notes; empty when there is none.
std::string BuildIdIn(std::span<const std::byte> notes) {
  ByteReader reader(notes);
  while (const auto note = reader.Read<Elf64_Nhdr>()) {
    const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
    const auto name = reader.Take(padded(note->n_namesz));
    if (!name) break;
    const auto description = reader.Take(note->n_descsz);
    if (!description) break;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
        std::memcmp(name->data(), "GNU", 4) == 0) {
      std::string id;
      for (const std::byte byte : *description)
        id += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
      return id;
    }
    if (!reader.Take(padded(note->n_descsz) - note->n_descsz)) break;
  }
  return {};
}

}  // namespace

const Section* ElfFile::FindSection(std::string_view name) const {
  const auto found = std::ranges::find(sections, name, &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

std::span<const std::byte> ElfFile::Contents(const Elf64_Phdr& program_header) const {
  return Part(bytes, program_header.p_offset, program_header.p_filesz)
      .value_or(std::span<const std::byte>());
}

std::vector<AddressRange> ElfFile::CodeRanges() const {
  std::vector<AddressRange> ranges;
  const auto add = [&](std::uint64_t start, std::uint64_t size) {
    if (size > 0 && start + size > start) ranges.push_back({start, start + size});
  };
  for (const auto& section : sections)
    if ((section.flags & SHF_EXECINSTR) != 0 && (section.flags & SHF_ALLOC) != 0)
      add(section.address, section.contents.size());
  if (ranges.empty())
    for (const auto& one : program_headers)
      if (one.p_type == PT_LOAD && (one.p_flags & PF_X) != 0) add(one.p_vaddr, one.p_filesz);
  std::ranges::sort(ranges, {}, &AddressRange::start);
  for (std::size_t i = 1; i < ranges.size(); ++i)
    ranges[i - 1].end = std::min(ranges[i - 1].end, ranges[i].start);
  std::erase_if(ranges, [](const AddressRange& range) { return range.start >= range.end; });
  return ranges;
}

std::optional<std::uint64_t> ElfFile::Dynamic(std::int64_t tag) const {
  for (const auto& one : program_headers) {
    if (one.p_type != PT_DYNAMIC) continue;
    ByteReader reader(Contents(one));
    while (const auto entry = reader.Read<Elf64_Dyn>()) {
      if (entry->d_tag == DT_NULL) break;
      if (entry->d_tag == tag) return entry->d_un.d_val;
    }
  }
  return std::nullopt;
}

std::string ElfFile::BuildId() const {
  std::string id;
  for (const auto& one : program_headers)
    if (one.p_type == PT_NOTE && id.empty()) id = BuildIdIn(Contents(one));
  for (const auto& section : sections)
    if (section.type == SHT_NOTE && id.empty()) id = BuildIdIn(section.contents);
  return id;
}

Result<ElfFile> ReadElfFile(std::span<const std::byte> bytes) {
  TRY_VOID(CheckKind(bytes));
  if (bytes.size() < sizeof(Elf64_Ehdr)) return CutShort("the header");
  ElfFile file;
  file.bytes = bytes;
  std::memcpy(&file.header, bytes.data(), sizeof(file.header));
  const auto type = file.header.e_type;
  if (type == ET_CORE) return Fail(ErrorKind::kUnsupported, "a core dump, not a program");
  if (type != ET_EXEC && type != ET_DYN && type != ET_REL)
    return Fail(ErrorKind::kUnsupported, fmt::format("an ELF file of unknown type {}", type));
  TRY(file.program_headers, ReadTable<Elf64_Phdr>(bytes, file.header.e_phoff, file.header.e_phnum,
                                                  file.header.e_phentsize, "program headers"));
  for (const auto& one : file.program_headers)
    // A segment without file bytes, such as .bss alone, may have any offset.
    if (one.p_type == PT_LOAD && one.p_filesz > 0 && !Part(bytes, one.p_offset, one.p_filesz))
      return CutShort("a segment");
  TRY(const auto headers, ReadSectionHeaders(bytes, file.header));
  file.sections = Sections(bytes, file.header, headers);
  return file;
}

std::optional<std::string> ScriptInterpreter(std::span<const std::byte> bytes) {
  constexpr std::size_t kLongest = 256;
  std::string line;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), kLongest))) {
    if (byte == std::byte{'\n'}) break;
    line += static_cast<char>(byte);
  }
  if (!line.starts_with("#!")) return std::nullopt;
  const std::size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_first_of(" \t", begin) - begin);
}

}  // namespace tare::elf
