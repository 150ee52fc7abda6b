// elf_image_builder.cc: fills an ElfImage from a checked file.
#include "binary/elf_image_builder.h"

#include <algorithm>
#include <set>

#include "base/byte_reader.h"
#include "binary/function_table.h"
#include "binary/instruction.h"
#include "binary/main_function.h"
#include "binary/plt_stubs.h"
#include "binary/unwind_frames.h"

namespace tare::binary {

Result<ElfImage> ElfImageBuilder::Build(std::string bytes) {
  ElfImage image;
  image.bytes_ = std::move(bytes);
  TRY(auto file, ReadElfFile(std::as_bytes(std::span(image.bytes_))));
  ElfImageBuilder builder(std::move(file), image);
  builder.SetKind();
  builder.SetSegments();
  const auto symbols = CodeSymbols(builder.file_);
  const auto relocations = Relocations(builder.file_);
  builder.SetSlots(relocations);
  builder.SetResolvers(symbols, relocations);
  builder.SetFunctions(symbols, relocations);
  builder.SetMain(symbols);
  return image;
}

void ElfImageBuilder::SetKind() {
  image_.architecture_ = *ArchitectureOf(file_.header.e_machine);
  image_.entry_ = file_.header.e_entry;
  image_.build_id_ = file_.BuildId();
  image_.stripped_ = std::ranges::none_of(
      file_.sections, [](const Section& one) { return one.type == SHT_SYMTAB; });
  for (const auto& one : file_.program_headers) {
    if (one.p_type != PT_INTERP) continue;
    ByteReader reader(file_.Contents(one));
    if (const auto text = reader.ReadTerminatedText()) image_.interpreter_ = *text;
  }
  if (file_.header.e_type == ET_EXEC) {
    image_.type_ = FileType::kExecutable;
  } else if (file_.header.e_type == ET_REL) {
    image_.type_ = FileType::kObject;
  } else {
    // The C library has an interpreter too; only programs carry the mark, or no name of their own.
    const bool marked = (file_.Dynamic(DT_FLAGS_1).value_or(0) & DF_1_PIE) != 0;
    const bool unnamed = !image_.interpreter_.empty() && !file_.Dynamic(DT_SONAME);
    image_.type_ = marked || unnamed ? FileType::kPie : FileType::kSharedLibrary;
  }
  const bool program = image_.type_ == FileType::kExecutable || image_.type_ == FileType::kPie;
  image_.is_static_ = program && image_.interpreter_.empty();
}

void ElfImageBuilder::SetSegments() {
  for (const auto& one : file_.program_headers) {
    if (one.p_type != PT_LOAD) continue;
    if (one.p_vaddr + one.p_filesz < one.p_vaddr) continue;
    image_.segments_.push_back({one.p_vaddr, one.p_offset, one.p_filesz, one.p_memsz,
                                (one.p_flags & PF_R) != 0, (one.p_flags & PF_W) != 0,
                                (one.p_flags & PF_X) != 0});
  }
  if (!file_.IsObject()) return;
  for (const auto& section : file_.sections)
    if ((section.flags & SHF_ALLOC) != 0 && !section.contents.empty())
      image_.segments_.push_back({section.address, section.address, section.contents.size(),
                                  section.contents.size(), true, (section.flags & SHF_WRITE) != 0,
                                  (section.flags & SHF_EXECINSTR) != 0});
}

void ElfImageBuilder::SetSlots(const std::vector<Relocation>& relocations) {
  for (const auto& relocation : relocations)
    if (relocation.value != 0 && !relocation.chosen_at_run_time)
      image_.slots_.emplace_back(relocation.address, relocation.value);
}

void ElfImageBuilder::SetResolvers(const std::vector<CodeSymbol>& symbols,
                                   const std::vector<Relocation>& relocations) {
  std::set<std::uint64_t> named;
  for (const auto& symbol : symbols) {
    if (!symbol.ifunc) continue;
    image_.resolvers_.emplace_back(symbol.name, symbol.address);
    named.insert(symbol.address);
  }
  for (const auto& relocation : relocations)
    if (relocation.chosen_at_run_time && !named.contains(relocation.value))
      image_.resolvers_.emplace_back(NameByAddress(relocation.value), relocation.value);
  std::ranges::sort(image_.resolvers_);
  const auto repeated = std::ranges::unique(image_.resolvers_);
  image_.resolvers_.erase(repeated.begin(), repeated.end());
}

void ElfImageBuilder::SetFunctions(const std::vector<CodeSymbol>& symbols,
                                   const std::vector<Relocation>& relocations) {
  const auto code = file_.CodeRanges();
  std::vector<AddressRange> frames;
  // In an object file the addresses in this section are not filled in yet.
  if (const Section* section = file_.FindSection(".eh_frame");
      section != nullptr && !file_.IsObject())
    frames = UnwindFrames(section->contents, section->address);
  image_.functions_ = FunctionTable(symbols, PltStubs(file_, image_.architecture_, relocations),
                                    std::move(frames), Guesses(), code);
  auto leftovers = Leftovers(code);
  std::ranges::move(leftovers, std::back_inserter(image_.functions_));
  std::ranges::sort(image_.functions_, {}, &Function::start);
}

std::vector<Function> ElfImageBuilder::Guesses() const {
  std::vector<Function> guesses;
  for (const auto& range : file_.CodeRanges()) {
    if (image_.entry_ == 0 || !range.Contains(image_.entry_)) continue;
    // Up to the end of its section: frames and symbols behind it cut it.
    guesses.push_back({"_start", image_.entry_, range.end, FunctionSource::kGuessed, false});
  }
  for (const auto& [section, name] : {std::pair{".init", "_init"}, std::pair{".fini", "_fini"}}) {
    const Section* found = file_.FindSection(section);
    if (found == nullptr || (found->flags & SHF_EXECINSTR) == 0) continue;
    const std::uint64_t end = found->address + found->contents.size();
    if (end > found->address)
      guesses.push_back({name, found->address, end, FunctionSource::kGuessed, false});
  }
  std::erase_if(guesses, [](const Function& one) { return one.start >= one.end; });
  return guesses;
}

std::vector<Function> ElfImageBuilder::Leftovers(const std::vector<AddressRange>& code) const {
  std::vector<Function> leftovers;
  auto next = image_.functions_.begin();
  const auto add = [&](std::uint64_t start, std::uint64_t end) {
    if (auto leftover = Leftover(start, end)) leftovers.push_back(std::move(*leftover));
  };
  std::uint64_t at = 0;
  for (const auto& range : code) {
    at = std::max(at, range.start);
    for (; next != image_.functions_.end() && next->start < range.end; ++next) {
      add(at, next->start);
      at = std::max(at, next->end);
    }
    add(at, range.end);
  }
  return leftovers;
}

std::optional<Function> ElfImageBuilder::Leftover(std::uint64_t start, std::uint64_t end) const {
  const bool x86 = image_.architecture_ == Architecture::kX86_64;
  constexpr std::byte kTrap{0xcc};
  while (start < end) {
    const auto code = image_.Code(start, end - start);
    if (code.empty()) return std::nullopt;
    const auto instruction = Decode(image_.architecture_, code, start);
    if (x86 && (code[0] == kTrap || code[0] == std::byte{0})) {
      ++start;
    } else if (instruction &&
               (instruction->nop ||
                (!x86 && code[0] == std::byte{0} &&
                 MnemonicName(image_.architecture_, instruction->mnemonic) == "udf"))) {
      start += instruction->length;
    } else {
      break;
    }
  }
  if (start >= end) return std::nullopt;
  return Function{NameByAddress(start), start, end, FunctionSource::kGuessed, false};
}

void ElfImageBuilder::SetMain(const std::vector<CodeSymbol>& symbols) {
  if (image_.type_ != FileType::kExecutable && image_.type_ != FileType::kPie) return;
  const auto named = std::ranges::find_if(
      symbols, [](const CodeSymbol& one) { return one.name == "main" && one.typed; });
  if (named != symbols.end()) {
    image_.main_ = named->address;
    return;
  }
  image_.main_ = MainByEntryCode(image_);
  if (!image_.main_) return;
  for (auto& function : image_.functions_)
    if (function.start == *image_.main_ && function.name == NameByAddress(function.start)) {
      function.name = "main";
      function.source = FunctionSource::kGuessed;
    }
}

}  // namespace tare::binary
