// elf_references.cc: .rela tables of linked and of object files, and .relr.
#include "binary/elf/elf_references.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "base/byte_reader.h"
#include "binary/elf/elf_symbol_reader.h"

namespace tare::elf {
namespace {

enum class Form {
  kIgnored,   // no place, or one without an address
  kWord,      // 64 bits, the address itself
  kRelative,  // the same, without a symbol
  kChosen,    // what the resolver returns
  kPart,      // a part of the address, or a displacement to it
  kDistance,  // x86: 32 bits, relative to the end of the field
  kUnknown,   // another property of the symbol, such as its size or its offset in thread-local
              // storage
};

Form FormInX86(std::uint32_t type, bool object) {
  switch (type) {
    case R_X86_64_NONE:
      return Form::kIgnored;
    case R_X86_64_64:
      return Form::kWord;
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
      return object ? Form::kIgnored : Form::kWord;
    case R_X86_64_RELATIVE:
    case R_X86_64_RELATIVE64:
      return object ? Form::kIgnored : Form::kRelative;
    case R_X86_64_IRELATIVE:
      return object ? Form::kIgnored : Form::kChosen;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
    case 43:  // R_X86_64_CODE_4_GOTPCRELX
      return object ? Form::kDistance : Form::kIgnored;
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_16:
    case R_X86_64_8:
    case R_X86_64_PC64:
    case R_X86_64_PC16:
    case R_X86_64_PC8:
    case R_X86_64_GOT32:
    case R_X86_64_GOT64:
    case R_X86_64_GOTPCREL64:
    case R_X86_64_PLTOFF64:
    case R_X86_64_GOTOFF64:
      return object ? Form::kPart : Form::kIgnored;
    default:
      return object ? Form::kUnknown : Form::kIgnored;
  }
}

Form FormInA64(std::uint32_t type, bool object) {
  constexpr std::uint32_t kFirstOfThreads = R_AARCH64_TLSGD_ADR_PREL21;
  switch (type) {
    case R_AARCH64_NONE:
    case 256:  // the same, from before the ABI was final
      return Form::kIgnored;
    case R_AARCH64_ABS64:
      return Form::kWord;
    case R_AARCH64_GLOB_DAT:
    case R_AARCH64_JUMP_SLOT:
      return object ? Form::kIgnored : Form::kWord;
    case R_AARCH64_RELATIVE:
      return object ? Form::kIgnored : Form::kRelative;
    case R_AARCH64_IRELATIVE:
      return object ? Form::kIgnored : Form::kChosen;
    default:
      if (!object) return Form::kIgnored;
      return type > R_AARCH64_ABS64 && type < kFirstOfThreads ? Form::kPart : Form::kUnknown;
  }
}

std::span<const std::byte> At(const ElfFile& file, std::uint64_t address, std::size_t size) {
  for (const auto& one : file.program_headers) {
    if (one.p_type != PT_LOAD || address < one.p_vaddr) continue;
    const std::uint64_t within = address - one.p_vaddr;
    if (within >= one.p_filesz || size > one.p_filesz - within) continue;
    return file.Contents(one).subspan(static_cast<std::size_t>(within), size);
  }
  return {};
}

class Collector {
 public:
  explicit Collector(const ElfFile& file)
      : file_(file), rows_left_(file.bytes.size() / sizeof(Elf64_Rela)) {}

  // `place` is the section to which the entries of an object file apply.
  void AddRows(const Section& table, const Section* place, bool keep_ignored) {
    if (table.link >= file_.sections.size()) return;
    if (!symbols_ || symbols_number_ != table.link) {
      // Many entries may name one symbol.
      symbols_.emplace(file_, file_.sections[table.link], 64 * file_.bytes.size());
      symbols_number_ = table.link;
    }
    ByteReader reader(table.contents);
    while (const auto row = reader.Read<Elf64_Rela>()) {
      // Tables that share their bytes cannot produce more entries than the file has room for.
      if (rows_left_-- == 0) {
        rows_left_ = 0;
        return;
      }
      auto reference = ReferenceOf(*row, place, *symbols_);
      if (!reference && keep_ignored) reference = Reference();
      if (reference) references_.push_back(*reference);
    }
  }

  // 64-bit words: an even one is an address; an odd one is a bitmap of the 63 words after the last
  // one (gABI, "Relative Relocation Table").
  void AddPacked(const Section& table) {
    ByteReader reader(table.contents);
    std::uint64_t next = 0;
    std::uint64_t words_left = file_.bytes.size() / sizeof(std::uint64_t);
    const auto add = [&](std::uint64_t address) {
      const auto bytes = At(file_, address, sizeof(std::uint64_t));
      if (bytes.empty() || words_left == 0) return;
      --words_left;
      Reference reference;
      reference.address = address;
      std::memcpy(&reference.target, bytes.data(), sizeof(reference.target));
      references_.push_back(reference);
    };
    while (const auto word = reader.Read<std::uint64_t>()) {
      if ((*word & 1) == 0) {
        add(*word);
        next = *word + 8;
        continue;
      }
      for (std::uint64_t bit = 1; bit < 64; ++bit)
        if ((*word >> bit & 1) != 0) add(next + 8 * (bit - 1));
      next += std::uint64_t{63} * 8;
    }
  }

  std::vector<Reference> TakeSorted() {
    const auto key = [](const Reference& one) {
      return std::tie(one.address, one.symbol, one.target);
    };
    if (!std::ranges::is_sorted(references_, {}, key)) std::ranges::sort(references_, {}, key);
    return std::move(references_);
  }
  std::vector<Reference> Take() { return std::move(references_); }

 private:
  std::optional<Reference> ReferenceOf(const Elf64_Rela& row, const Section* place,
                                       SymbolReader& symbols) const {
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(row.r_info));
    const bool x86 = file_.header.e_machine == EM_X86_64;
    const Form form = x86 ? FormInX86(type, place != nullptr) : FormInA64(type, place != nullptr);
    if (form == Form::kIgnored) return std::nullopt;
    Reference reference;
    reference.address = row.r_offset;
    if (place != nullptr) {
      if (row.r_offset >= place->contents.size()) return std::nullopt;
      reference.address += place->address;
    }
    reference.whole_word = form == Form::kWord || form == Form::kRelative || form == Form::kChosen;
    reference.chosen_at_run_time = form == Form::kChosen;
    const auto addend = static_cast<std::uint64_t>(row.r_addend);
    if (form == Form::kRelative || form == Form::kChosen) {
      reference.target = addend;
      return reference;
    }
    const std::size_t number = ELF64_R_SYM(row.r_info);
    if (number == 0 || number >= symbols.Count()) return reference;
    const SymbolEntry symbol = symbols.At(number);
    if (symbol.type != STT_SECTION) reference.symbol = symbols.Name(symbol.name);
    if (!symbol.address || form == Form::kUnknown) return reference;
    // The processor adds the displacement to the end of the field, so the addend includes that
    // distance.
    const bool in_code = place != nullptr && (place->flags & SHF_EXECINSTR) != 0;
    const std::uint64_t behind = form == Form::kDistance && in_code ? 4 : 0;
    reference.target = *symbol.address + addend + behind;
    return reference;
  }

  const ElfFile& file_;
  std::uint64_t rows_left_;
  std::optional<SymbolReader> symbols_;  // of the table with this index
  std::uint32_t symbols_number_ = 0;
  std::vector<Reference> references_;
};

}  // namespace

std::vector<Reference> References(const ElfFile& file) {
  Collector collector(file);
  for (const auto& section : file.sections) {
    const bool loaded = (section.flags & SHF_ALLOC) != 0;
    if (file.IsObject()) {
      if (section.type != SHT_RELA || section.info >= file.sections.size()) continue;
      const Section& place = file.sections[section.info];
      if ((place.flags & SHF_ALLOC) != 0) collector.AddRows(section, &place, false);
    } else if (section.type == SHT_RELA && loaded) {
      collector.AddRows(section, nullptr, false);
    } else if (section.type == SHT_RELR && loaded) {
      collector.AddPacked(section);
    }
  }
  return collector.TakeSorted();
}

std::vector<Reference> PltReferences(const ElfFile& file) {
  Collector collector(file);
  if (const Section* table = file.FindSection(".rela.plt"); table != nullptr && !file.IsObject())
    collector.AddRows(*table, nullptr, true);
  return collector.Take();
}

}  // namespace tare::elf
