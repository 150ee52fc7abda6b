// symbol_table.cc: classifying symbols.
#include "binary/elf/symbol_table.h"

#include <algorithm>
#include <tuple>

#include "binary/elf/elf_symbol_reader.h"

namespace tare::elf {
namespace {

// A mapping symbol of the AArch64 ABI: the start of code ($x) or data ($d).
struct Mark {
  std::uint64_t address;
  std::size_t order;  // in the file
  bool data;
};

class Sorter {
 public:
  explicit Sorter(const ElfFile& file)
      : file_(file), code_(file.CodeRanges()), marks_used_(file.header.e_machine == EM_AARCH64) {}

  void Add(const Section& table) {
    // These names are copied later.
    SymbolReader reader(file_, table, 2 * file_.bytes.size());
    symbols_.code.reserve(symbols_.code.size() + reader.Count());
    const bool dynamic = table.type == SHT_DYNSYM;
    for (std::size_t i = 0; i < reader.Count(); ++i) {
      const SymbolEntry entry = reader.At(i);
      if (!entry.address) continue;
      const bool code = !entry.section_flags || (*entry.section_flags & SHF_EXECINSTR) != 0;
      if (entry.type == STT_OBJECT) {
        AddObject(reader, entry, code);
      } else if (const AddressRange* range = code ? RangeOf(*entry.address) : nullptr) {
        AddInCode(reader, entry, *range, dynamic);
      }
    }
  }

  Symbols Take() {
    AddMarkedData();
    MergeRanges(symbols_.data_in_code);
    return std::move(symbols_);
  }

 private:
  // Adjacent entries in the table are often adjacent in memory.
  const AddressRange* RangeOf(std::uint64_t address) {
    if (last_ < code_.size() && code_[last_].Contains(address)) return &code_[last_];
    const AddressRange* found = RangeAt(code_, address);
    if (found != nullptr) last_ = static_cast<std::size_t>(found - code_.data());
    return found;
  }

  void AddObject(SymbolReader& reader, const SymbolEntry& entry, bool code) {
    const std::uint64_t start = *entry.address;
    if (entry.size == 0 || start + entry.size < start) return;
    if (const AddressRange* range = code ? RangeOf(start) : nullptr) {
      symbols_.data_in_code.push_back({start, std::min(start + entry.size, range->end)});
    } else if (reader.NameStartsWith(entry.name, "_ZTV")) {
      symbols_.virtual_tables.push_back({reader.Name(entry.name), {start, start + entry.size}});
    }
  }

  void AddInCode(SymbolReader& reader, const SymbolEntry& entry, const AddressRange& range,
                 bool dynamic) {
    const bool typed = entry.type == STT_FUNC || entry.type == STT_GNU_IFUNC;
    if (!typed && entry.type != STT_NOTYPE) return;
    if (!typed && entry.binding == STB_LOCAL) {
      // A local label is a place within a function; only mapping symbols matter.
      for (const bool data : {false, true})
        if (marks_used_ && IsMark(reader, entry.name, data))
          marks_.push_back({*entry.address, marks_.size(), data});
      return;
    }
    CodeSymbol symbol;
    symbol.name = reader.Name(entry.name);
    // .L labels are compiler-internal.
    if (symbol.name.empty() || symbol.name.starts_with("$") || symbol.name.starts_with(".L"))
      return;
    symbol.address = *entry.address;
    symbol.size = std::min(entry.size, range.end - symbol.address);
    symbol.dynamic = dynamic;
    symbol.exported = entry.binding != STB_LOCAL;
    symbol.weak = entry.binding == STB_WEAK;
    symbol.ifunc = entry.type == STT_GNU_IFUNC;
    symbol.typed = typed;
    symbols_.code.push_back(symbol);
  }

  // "$d" alone, or "$d.anything".
  static bool IsMark(const SymbolReader& reader, std::uint32_t name, bool data) {
    using namespace std::string_view_literals;
    return reader.NameStartsWith(name, data ? "$d\0"sv : "$x\0"sv) ||
           reader.NameStartsWith(name, data ? "$d." : "$x.");
  }

  // Each section starts as code; of two mapping symbols at one address the later one applies.
  void AddMarkedData() {
    std::ranges::sort(marks_, {},
                      [](const Mark& mark) { return std::tie(mark.address, mark.order); });
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      if (!marks_[i].data) continue;
      std::uint64_t end = RangeOf(marks_[i].address)->end;
      if (i + 1 < marks_.size()) end = std::min(end, marks_[i + 1].address);
      if (marks_[i].address < end) symbols_.data_in_code.push_back({marks_[i].address, end});
    }
  }

  const ElfFile& file_;
  std::vector<AddressRange> code_;
  bool marks_used_;
  std::size_t last_ = 0;
  std::vector<Mark> marks_;
  Symbols symbols_;
};

}  // namespace

Symbols ReadSymbols(const ElfFile& file) {
  Sorter sorter(file);
  // A file has one of each; further ones could only repeat the same bytes.
  for (const auto type : {std::uint32_t{SHT_SYMTAB}, std::uint32_t{SHT_DYNSYM}}) {
    const auto table = std::ranges::find(file.sections, type, &Section::type);
    if (table != file.sections.end()) sorter.Add(*table);
  }
  return sorter.Take();
}

}  // namespace tare::elf
