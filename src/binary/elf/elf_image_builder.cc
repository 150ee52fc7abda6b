// elf_image_builder.cc: filling an ElfImage from a validated file.
#include "binary/elf/elf_image_builder.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/byte_reader.h"
#include "binary/decode/instruction.h"
#include "binary/elf/elf_call_targets.h"
#include "binary/elf/elf_references.h"
#include "binary/elf/elf_virtual_tables.h"
#include "binary/elf/function_table.h"
#include "binary/elf/main_function.h"
#include "binary/elf/plt_stubs.h"
#include "binary/elf/unwind_frames.h"

namespace tare::elf {

Result<ElfImage> ElfImageBuilder::Build(std::string bytes) {
  ElfImage image;
  image.bytes_ = std::move(bytes);
  TRY(auto file, ReadElfFile(std::as_bytes(std::span(image.bytes_))));
  ElfImageBuilder builder(std::move(file), image);
  builder.SetKind();
  builder.SetSegments();
  auto symbols = ReadSymbols(builder.file_);
  image.data_in_code_ = std::move(symbols.data_in_code);
  image.references_ = References(builder.file_);
  image.virtual_tables_ = VirtualTables(image, std::move(symbols.virtual_tables));
  builder.SetResolvers(symbols.code);
  builder.SetNamedMain(symbols.code);
  builder.SetFunctions(std::move(symbols.code));
  builder.SetMain();
  return image;
}

void ElfImageBuilder::SetKind() {
  image_.architecture_ = *decode::ArchitectureOf(file_.header.e_machine);
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
    // libc.so has an interpreter too; only programs have the flag DF_1_PIE, or lack a DT_SONAME.
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
  for (const auto& section : file_.sections) {
    if (!file_.IsObject()) break;
    if ((section.flags & SHF_ALLOC) != 0 && !section.contents.empty())
      image_.segments_.push_back({section.address, section.address, section.contents.size(),
                                  section.contents.size(), true, (section.flags & SHF_WRITE) != 0,
                                  (section.flags & SHF_EXECINSTR) != 0});
  }
  std::ranges::sort(image_.segments_, {}, [](const Segment& one) {
    return std::tie(one.address, one.file_bytes, one.offset);
  });
}

void ElfImageBuilder::SetResolvers(const std::vector<CodeSymbol>& symbols) {
  std::set<std::uint64_t> named;
  for (const auto& symbol : symbols) {
    if (!symbol.ifunc) continue;
    image_.resolvers_.emplace_back(symbol.name, symbol.address);
    named.insert(symbol.address);
  }
  for (const auto& reference : image_.references_)
    if (reference.chosen_at_run_time && !named.contains(reference.target))
      image_.resolvers_.emplace_back(NameByAddress(reference.target), reference.target);
  std::ranges::sort(image_.resolvers_);
  const auto repeated = std::ranges::unique(image_.resolvers_);
  image_.resolvers_.erase(repeated.begin(), repeated.end());
}

void ElfImageBuilder::SetFunctions(std::vector<CodeSymbol> symbols) {
  const auto code = file_.CodeRanges();
  image_.code_ranges_ = code;
  std::vector<AddressRange> frames;
  // In an object file the addresses in this section are not relocated yet.
  if (const Section* section = file_.FindSection(".eh_frame");
      section != nullptr && !file_.IsObject())
    frames = UnwindFrames(section->contents, section->address);
  auto& functions = image_.functions_;
  functions =
      FunctionTable(std::move(symbols),
                    PltStubs(file_, image_.architecture_, image_.references_, image_.resolvers_),
                    std::move(frames), Guesses(), code);
  auto leftovers = Leftovers(code);
  if (!leftovers.empty()) {
    std::ranges::move(leftovers, std::back_inserter(functions));
    std::ranges::sort(functions, {}, &Function::start);
  }
  const auto starts = CallTargets(image_, functions);
  functions = SplitAt(std::move(functions), starts);
}

std::vector<Function> ElfImageBuilder::Guesses() const {
  std::vector<Function> guesses;
  for (const auto& range : file_.CodeRanges()) {
    if (image_.entry_ == 0 || !range.Contains(image_.entry_)) continue;
    // Up to the end of its section; later frames and symbols cut it.
    guesses.push_back({"_start", image_.entry_, range.end, FunctionSource::kGuessed, false, true});
  }
  for (const auto& [section, name] : {std::pair{".init", "_init"}, std::pair{".fini", "_fini"}}) {
    const Section* found = file_.FindSection(section);
    if (found == nullptr || (found->flags & SHF_EXECINSTR) == 0) continue;
    const std::uint64_t end = found->address + found->contents.size();
    if (end > found->address)
      guesses.push_back({name, found->address, end, FunctionSource::kGuessed, false, false});
  }
  std::erase_if(guesses, [](const Function& one) { return one.start >= one.end; });
  return guesses;
}

std::vector<Function> ElfImageBuilder::Leftovers(const std::vector<AddressRange>& code) {
  std::vector<Function> leftovers;
  auto next = image_.functions_.begin();
  auto data = image_.data_in_code_.begin();
  const auto add = [&](std::uint64_t start, std::uint64_t end) {
    for (; data != image_.data_in_code_.end() && data->start < end; ++data) {
      if (auto leftover = Leftover(start, data->start)) leftovers.push_back(std::move(*leftover));
      start = std::max(start, data->end);
      if (data->end > end) break;
    }
    if (auto leftover = Leftover(start, end)) leftovers.push_back(std::move(*leftover));
  };
  std::uint64_t at = 0;
  for (const auto& range : code) {
    at = std::max(at, range.start);
    for (; next != image_.functions_.end() && next->start < range.end; ++next) {
      if (at < next->start) add(at, next->start);
      at = std::max(at, next->end);
    }
    if (at < range.end) add(at, range.end);
  }
  return leftovers;
}

std::optional<Function> ElfImageBuilder::Leftover(std::uint64_t start, std::uint64_t end) {
  const bool x86 = image_.architecture_ == decode::Architecture::kX86_64;
  constexpr std::byte kTrap{0xcc};
  // Limits the work for sections that share their bytes.
  for (; start < end && padding_left_ > 0; --padding_left_) {
    const auto code = image_.Code(start, end - start);
    if (code.empty()) return std::nullopt;
    if (x86 && (code[0] == kTrap || code[0] == std::byte{0})) {
      ++start;
      continue;
    }
    const auto instruction = decode::Decode(image_.architecture_, code, start);
    if (!instruction) break;
    const auto name = decode::MnemonicName(image_.architecture_, instruction->mnemonic);
    const bool landing_pad = name == "endbr64" || name == "bti";
    const bool trap = !x86 && code[0] == std::byte{0} && name == "udf";
    if ((!instruction->nop || landing_pad) && !trap) break;
    start += instruction->length;
  }
  if (start >= end) return std::nullopt;
  return Function{NameByAddress(start), start, end, FunctionSource::kGuessed, false, true};
}

void ElfImageBuilder::SetNamedMain(const std::vector<CodeSymbol>& symbols) {
  if (image_.type_ != FileType::kExecutable && image_.type_ != FileType::kPie) return;
  const auto named = std::ranges::find_if(
      symbols, [](const CodeSymbol& one) { return one.name == "main" && one.typed; });
  if (named != symbols.end()) image_.main_ = named->address;
}

void ElfImageBuilder::SetMain() {
  if (image_.type_ != FileType::kExecutable && image_.type_ != FileType::kPie) return;
  if (image_.main_) return;
  image_.main_ = MainByEntryCode(image_);
  if (!image_.main_) return;
  for (auto& function : image_.functions_)
    if (function.start == *image_.main_ && function.name == NameByAddress(function.start)) {
      function.name = "main";
      function.source = FunctionSource::kGuessed;
    }
}

}  // namespace tare::elf
