// debug_sections.cc: finding, decompressing and relocating the debug sections of a file.
#include "binary/dwarf/debug_sections.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "binary/dwarf/compressed_section.h"
#include "binary/dwarf/object_relocations.h"

namespace tare::dwarf {
namespace {

using elf::AddressRange;
using elf::ElfFile;
using elf::Section;

// In an object file, type units have sections of the same names in separate groups.
const Section* FindUngrouped(const ElfFile& file, std::string_view name) {
  const Section* grouped = nullptr;
  for (const auto& section : file.sections) {
    if (section.name != name) continue;
    if ((section.flags & SHF_GROUP) == 0) return &section;
    if (grouped == nullptr) grouped = &section;
  }
  return grouped;
}

// A file with debug sections only has code section headers without bytes; its segments give the
// size.
std::vector<AddressRange> CodeOf(const ElfFile& file) {
  std::vector<AddressRange> code;
  const bool with_code = std::ranges::any_of(file.sections, [](const Section& one) {
    return (one.flags & SHF_EXECINSTR) != 0 && !one.contents.empty();
  });
  if (with_code || file.IsObject()) return file.CodeRanges();
  for (const auto& one : file.program_headers)
    if (one.p_type == PT_LOAD && (one.p_flags & PF_X) != 0 &&
        one.p_vaddr + one.p_memsz > one.p_vaddr)
      // Address 0 represents a function that the linker discarded.
      code.push_back({std::max<std::uint64_t>(one.p_vaddr, 1), one.p_vaddr + one.p_memsz});
  std::ranges::sort(code, {}, &AddressRange::start);
  for (std::size_t i = 1; i < code.size(); ++i)
    code[i - 1].end = std::min(code[i - 1].end, code[i].start);
  std::erase_if(code, [](const AddressRange& one) { return one.start >= one.end; });
  return code;
}

}  // namespace

DebugSections::DebugSections(const ElfFile& file) : code(CodeOf(file)) {
  info = Load(file, "info");
  abbrev = Load(file, "abbrev");
  line = Load(file, "line");
  str = Load(file, "str");
  line_str = Load(file, "line_str");
  str_offsets = Load(file, "str_offsets");
  addr = Load(file, "addr");
  ranges = Load(file, "ranges");
  rnglists = Load(file, "rnglists");
}

std::span<const std::byte> DebugSections::Load(const ElfFile& file, std::string_view name) {
  const std::string full = fmt::format(".debug_{}", name);
  const auto unreadable = [&](std::string_view reason) {
    problems.push_back(fmt::format("{} cannot be read: {}", full, reason));
    return std::span<const std::byte>();
  };
  const Section* section = FindUngrouped(file, full);
  const bool old_style = section == nullptr;
  if (old_style) section = FindUngrouped(file, fmt::format(".zdebug_{}", name));
  if (section == nullptr || section->type == SHT_NOBITS) return {};
  std::span<const std::byte> contents = section->contents;
  if (old_style || (section->flags & SHF_COMPRESSED) != 0) {
    auto made = old_style ? DecompressedOldStyle(contents) : Decompressed(contents);
    if (!made) return unreadable(made.error().message);
    contents = owned_.emplace_back(std::move(*made));
  }
  if (!file.IsObject()) return contents;
  const Section* relocations = FindUngrouped(file, fmt::format(".rela{}", section->name));
  if (relocations == nullptr) return contents;
  if (owned_.empty() || owned_.back().data() != contents.data())
    owned_.emplace_back(contents.begin(), contents.end());
  if (const auto failures = ApplyRelocations(file, *relocations, owned_.back()); failures > 0)
    problems.push_back(fmt::format("{} relocations of {} cannot be applied", failures, full));
  return owned_.back();
}

std::uint64_t DebugSections::Bytes() const {
  return info.size() + abbrev.size() + line.size() + str.size() + line_str.size() +
         str_offsets.size() + addr.size() + ranges.size() + rnglists.size();
}

std::uint64_t DebugSections::CodeEnd(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(code, address, {}, &AddressRange::start);
  if (after == code.begin() || !std::prev(after)->Contains(address)) return 0;
  return std::prev(after)->end;
}

}  // namespace tare::dwarf
