// elf_image.cc: queries of a program or library.
#include "binary/elf/elf_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/file.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "binary/decode/code_constants.h"
#include "binary/decode/instruction.h"
#include "binary/elf/elf_image_builder.h"

namespace tare::elf {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;

// "ns::f" of "ns::f(int)"; templates and operators stay unchanged.
std::string_view WithoutArguments(std::string_view name) {
  if (!name.ends_with(")") && !name.ends_with(") const")) return name;
  int depth = 0;
  for (std::size_t i = name.rfind(')') + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return name.substr(0, i);
  }
  return name;
}

// The last component of a name: the mangled form of a name that ends in it contains it.
std::string_view LastWord(std::string_view name) {
  const std::string_view plain = WithoutArguments(name);
  const std::size_t colon = plain.rfind("::");
  const std::string_view last = colon == std::string_view::npos ? plain : plain.substr(colon + 2);
  return last.substr(0, last.find_first_of("<(~ "));
}

// Whether what follows a dot after the name of a function names a specialised copy that gcc or
// clang made of it.
bool IsKindOfClone(std::string_view kind) {
  const bool known = kind.starts_with("constprop") || kind.starts_with("isra") ||
                     kind.starts_with("part") || kind.starts_with("lto_priv") ||
                     kind.starts_with("llvm");
  return known && !kind.ends_with("cold");
}

// The name in the source of a function that may be a clone.
std::string_view WithoutKindOfClone(std::string_view name) {
  const std::size_t dot = name.find('.', 1);
  if (dot == std::string_view::npos || !IsKindOfClone(name.substr(dot + 1))) return name;
  return name.substr(0, dot);
}

// Limits the search for the most similar name to plausible candidates, which keeps it short in a
// file with a million names. A clone is found by the name of its function.
std::vector<std::string_view> NamesOfAboutThatLength(const std::vector<Function>& functions,
                                                     std::string_view name) {
  constexpr std::size_t kMax = 20000;
  std::vector<std::string_view> names;
  for (const auto& function : functions) {
    const std::string_view own = WithoutKindOfClone(function.name);
    const std::size_t longer = std::max(own.size(), name.size());
    const std::size_t shorter = std::min(own.size(), name.size());
    if (longer - shorter <= 2 && names.size() < kMax) names.push_back(own);
  }
  return names;
}

// The specialised copies of a function, which are named after it: f.constprop.0, f.isra.0,
// f.part.0, f.llvm.123. Rarely executed parts (f.cold) are none.
std::vector<const Function*> ClonesOf(const std::vector<Function>& functions,
                                      std::string_view name) {
  std::vector<const Function*> clones;
  for (const Function& function : functions) {
    const std::string_view full = function.name;
    if (!full.starts_with(name) || full.size() < name.size() + 2 || full[name.size()] != '.')
      continue;
    if (IsKindOfClone(full.substr(name.size() + 1))) clones.push_back(&function);
  }
  return clones;
}

std::string NamesOf(std::span<const Function* const> functions) {
  std::string names;
  for (const Function* function : functions) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", Printable(function->name));
  }
  return names;
}

}  // namespace

Result<ElfImage> ElfImage::Parse(std::string bytes) {
  return ElfImageBuilder::Build(std::move(bytes));
}

const Segment* ElfImage::SegmentAt(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(segments_, address, {}, &Segment::address);
  if (after == segments_.begin()) return nullptr;
  const Segment& before = *std::prev(after);
  return address - before.address < before.file_bytes ? &before : nullptr;
}

std::optional<std::uint64_t> ElfImage::FileOffsetOf(std::uint64_t address) const {
  const Segment* segment = SegmentAt(address);
  if (segment == nullptr) return std::nullopt;
  return segment->offset + (address - segment->address);
}

std::optional<std::uint64_t> ElfImage::AddressOf(std::uint64_t file_offset) const {
  for (const auto& segment : segments_)
    if (segment.executable && file_offset >= segment.offset &&
        file_offset - segment.offset < segment.file_bytes)
      return segment.address + (file_offset - segment.offset);
  return std::nullopt;
}

std::span<const std::byte> ElfImage::Code(std::uint64_t address, std::uint64_t size) const {
  const Segment* segment = SegmentAt(address);
  if (segment == nullptr) return {};
  const std::uint64_t within = address - segment->address;
  const std::uint64_t count = std::min(size, segment->file_bytes - within);
  return std::as_bytes(std::span(bytes_))
      .subspan(static_cast<std::size_t>(segment->offset + within), static_cast<std::size_t>(count));
}

const Function* ElfImage::FunctionAt(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(functions_, address, {}, &Function::start);
  if (after == functions_.begin()) return nullptr;
  const Function& before = *std::prev(after);
  return address < before.end ? &before : nullptr;
}

Result<Function> ElfImage::FindFunction(std::string_view name) const {
  const auto exact = std::ranges::find(functions_, name, &Function::name);
  if (exact != functions_.end()) return *exact;
  const std::string_view word = LastWord(name);
  for (const auto& function : functions_) {
    const bool mangled = function.name.starts_with("_Z") || function.name.starts_with("_R");
    if (!mangled || function.name.find(word) == std::string::npos) continue;
    const std::string readable = Demangled(function.name);
    if (readable == name || WithoutArguments(readable) == name) return function;
  }
  const auto clones = ClonesOf(functions_, name);
  if (clones.size() == 1) return *clones.front();
  if (clones.size() > 1) {
    return Fail(ErrorKind::kUsage, fmt::format("the compiler made {} clones of {}; choose one: {}",
                                               clones.size(), Printable(name), NamesOf(clones)));
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("no such function: {}{}{}", Printable(name),
                          stripped_ ? " (the file has no symbol table)" : "",
                          Printable(DidYouMean(name, NamesOfAboutThatLength(functions_, name)))));
}

Result<Function> ElfImage::FindMain() const {
  if (type_ == FileType::kSharedLibrary || type_ == FileType::kObject)
    return Fail(ErrorKind::kUsage, "not a program: it has no main function");
  if (main_)
    if (const Function* function = FunctionAt(*main_);
        function != nullptr && function->start == *main_)
      return *function;
  return Fail(
      ErrorKind::kUnsupported,
      "cannot find main: it has no symbol, and the entry code is not that of the C library");
}

const Reference* ElfImage::FirstReferenceIn(std::uint64_t start, std::uint64_t end) const {
  const auto found = std::ranges::lower_bound(references_, start, {}, &Reference::address);
  return found != references_.end() && found->address < end ? &*found : nullptr;
}

const Reference* ElfImage::ReferenceAt(std::uint64_t address) const {
  const auto found = std::ranges::lower_bound(references_, address, {}, &Reference::address);
  return found != references_.end() && found->address == address ? &*found : nullptr;
}

std::optional<std::uint64_t> ElfImage::SlotAt(std::uint64_t address) const {
  const Reference* found = ReferenceAt(address);
  if (found == nullptr || !found->whole_word || found->chosen_at_run_time || found->target == 0)
    return std::nullopt;
  return found->target;
}

std::optional<std::uint64_t> ElfImage::WordAt(std::uint64_t address) const {
  if (const auto filled = SlotAt(address)) return filled;
  const auto bytes = Code(address, sizeof(std::uint64_t));
  std::uint64_t content = 0;
  if (bytes.size() < sizeof(content)) return std::nullopt;
  std::memcpy(&content, bytes.data(), sizeof(content));
  return content;
}

std::vector<Dispatch> ElfImage::IfuncCandidates() const {
  std::vector<Dispatch> all;
  for (const auto& [name, resolver] : resolvers_) {
    Dispatch dispatch{name, resolver, {}};
    const auto note = [&](std::optional<std::uint64_t> address) {
      const Function* found = address ? FunctionAt(*address) : nullptr;
      const bool fits =
          found != nullptr && found->start == *address && found->source != FunctionSource::kPlt;
      if (fits && *address != resolver) dispatch.candidates.push_back(*address);
      return fits;
    };
    // Only a program at a fixed address (not PIE) contains addresses without relocations.
    const auto loaded = [&](std::uint64_t slot) {
      return type_ == FileType::kExecutable ? WordAt(slot) : SlotAt(slot);
    };
    const Function* function = FunctionAt(resolver);
    const std::uint64_t end = function == nullptr ? resolver : function->end;
    decode::ConstantFollower follower(architecture_);
    for (std::uint64_t at = resolver; at < end;) {
      const auto code = Code(at, end - at);
      const auto instruction = decode::Decode(architecture_, code, at);
      if (!instruction) break;
      if (const auto constant = follower.Next(code, at)) {
        const bool fits =
            note(constant->is_slot ? loaded(constant->value) : std::optional(constant->value));
        if (!fits) note(constant->from_page);
      }
      at += instruction->length;
    }
    std::ranges::sort(dispatch.candidates);
    const auto repeated = std::ranges::unique(dispatch.candidates);
    dispatch.candidates.erase(repeated.begin(), repeated.end());
    all.push_back(std::move(dispatch));
  }
  return all;
}

bool ElfImage::QueriesProcessor(const Function& function) const {
  for (std::uint64_t at = function.start; at < function.end;) {
    const auto instruction = decode::Decode(architecture_, Code(at, function.end - at), at);
    if (instruction && instruction->queries_processor) return true;
    at += instruction                                      ? instruction->length
          : architecture_ == decode::Architecture::kX86_64 ? 1U
                                                           : 4U;
  }
  return false;
}

namespace {

// Pipes and devices may never end, and a file may be too large to read.
Result<void> CheckWorthReading(const std::filesystem::path& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  const std::string name = Printable(path.string());
  if (status.type() == std::filesystem::file_type::not_found)
    return Fail(ErrorKind::kNotFound, fmt::format("no such file: {}", name));
  if (std::filesystem::is_directory(status))
    return Fail(ErrorKind::kIo, fmt::format("{} is a directory", name));
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return Fail(ErrorKind::kIo, fmt::format("{} is not a regular file", name));
  const auto size = std::filesystem::file_size(path, unknown);
  if (!unknown && size > kMaxBytes)
    return Fail(ErrorKind::kIo,
                fmt::format("{} has {} bytes; the maximum is {}", name, size, kMaxBytes));
  return {};
}

}  // namespace

Result<ElfImage> OpenElf(const std::filesystem::path& path) {
  TRY_VOID(CheckWorthReading(path));
  TRY(auto bytes, ReadFile(path, kMaxBytes));
  auto image = ElfImage::Parse(std::move(bytes));
  if (!image)
    return Fail(image.error().kind,
                fmt::format("{}: {}", Printable(path.string()), image.error().message));
  return image;
}

Result<ElfImage> ParseElf(std::span<const std::byte> bytes) {
  return ElfImage::Parse(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace tare::elf
