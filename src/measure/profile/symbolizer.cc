// symbolizer.cc: our own readers of ELF and DWARF, the kernel's symbol table, and perf's files for
// generated code.
#include "measure/profile/symbolizer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/descriptor.h"
#include "base/file.h"
#include "binary/dwarf/debug_file.h"
#include "binary/dwarf/separate_debug_file.h"
#include "binary/elf/function_table.h"
#include "binary/elf/symbol_table.h"
#include "machine/host/kernel_text.h"

namespace tare::profile {
namespace {

constexpr std::uint64_t kMaxNamesBytes = std::uint64_t{256} << 20;

// The image of the vDSO that the kernel maps into every process.
std::optional<elf::ElfImage> OwnVdso() {
  const auto maps = ReadFile("/proc/self/maps", 1 << 24);
  if (!maps) return std::nullopt;
  for (const std::string_view line : host::Lines(*maps)) {
    const auto parsed = ParseMapsLine(line);
    if (!parsed || parsed->name != "[vdso]") continue;
    std::string bytes(parsed->end - parsed->start, '\0');
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(parsed->start), bytes.size());
    auto image = elf::ElfImage::Parse(std::move(bytes));
    if (image) return std::move(*image);
  }
  return std::nullopt;
}

// Only a regular file of this user or of root, so that nobody else chooses names.
std::string PerfMapText(std::uint32_t process) {
  const std::string path = fmt::format("/tmp/perf-{}.map", process);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file.IsOpen() || ::fstat(file.Number(), &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_uid != ::geteuid() && status.st_uid != 0))
    return {};
  const auto text = ReadFile(fmt::format("/proc/self/fd/{}", file.Number()), kMaxNamesBytes);
  return text ? *text : std::string();
}

// The symbols of a stripped file are in its separate debug file.
std::map<std::uint64_t, std::string> SeparateNames(const elf::ElfImage& image,
                                                   const std::string& path) {
  std::map<std::uint64_t, std::string> names;
  const auto found = dwarf::SeparateDebugFile(image, path);
  if (!found || !*found) return names;
  const auto debug = dwarf::OpenDebugFile(**found);
  if (!debug) return names;
  const elf::Symbols symbols = elf::ReadSymbols(debug->file);
  std::map<std::uint64_t, const elf::CodeSymbol*> best;
  for (const elf::CodeSymbol& symbol : symbols.code) {
    const auto [place, is_new] = best.try_emplace(symbol.address, &symbol);
    if (!is_new && elf::IsBetterName(symbol, *place->second)) place->second = &symbol;
  }
  for (const auto& [address, symbol] : best) names.emplace(address, symbol->name);
  return names;
}

}  // namespace

void AddressNames::Sort() { std::ranges::stable_sort(entries_, {}, &Entry::start); }

AddressNames AddressNames::FromKallsyms(std::string_view text) {
  AddressNames names;
  for (const std::string_view line : host::Lines(text)) {
    const auto words = host::Words(line);
    if (words.size() < 3 || words[1].size() != 1) continue;
    if (std::string_view("tTwW").find(words[1][0]) == std::string_view::npos) continue;
    const auto address = host::HexNumber(words[0]);
    if (address && *address != 0) names.entries_.push_back({*address, 0, std::string(words[2])});
  }
  names.Sort();
  return names;
}

AddressNames AddressNames::FromPerfMap(std::string_view text) {
  AddressNames names;
  for (const std::string_view line : host::Lines(text)) {
    const auto words = host::Words(line);
    if (words.size() < 3) continue;
    const auto start = host::HexNumber(words[0]);
    const auto bytes = host::HexNumber(words[1]);
    if (!start || !bytes) continue;
    const auto name = line.substr(static_cast<std::size_t>(words[2].data() - line.data()));
    names.entries_.push_back({*start, *bytes, std::string(host::Trimmed(name))});
  }
  names.Sort();
  return names;
}

const AddressNames::Entry* AddressNames::At(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(entries_, address, {}, &Entry::start);
  if (next == entries_.begin()) return nullptr;
  const Entry& entry = *std::prev(next);
  if (entry.bytes != 0 && address - entry.start >= entry.bytes) return nullptr;
  return &entry;
}

const AddressNames& Symbolizer::Kernel() {
  if (!kernel_) {
    const auto text = ReadFile("/proc/kallsyms", kMaxNamesBytes);
    kernel_ = AddressNames::FromKallsyms(text ? *text : std::string());
  }
  return *kernel_;
}

const AddressNames& Symbolizer::Generated(std::uint32_t process) {
  const auto [found, is_new] = generated_.try_emplace(process);
  if (is_new) found->second = AddressNames::FromPerfMap(PerfMapText(process));
  return found->second;
}

Symbolizer::Image& Symbolizer::Open(std::uint32_t object) {
  const auto [found, is_new] = images_.try_emplace(object);
  Image& image = found->second;
  if (!is_new) return image;
  const std::string& path = profile_.objects[object].path;
  if (path == "[vdso]") {
    image.elf = OwnVdso();
  } else if (path.starts_with('/')) {
    auto elf = elf::OpenElf(path);
    if (elf) image.elf = std::move(*elf);
  }
  if (!image.elf) return image;
  // Another file has taken its place since it was mapped: its names would be wrong.
  std::string& mapped = profile_.objects[object].build_id;
  if (!mapped.empty() && mapped != image.elf->build_id()) {
    image.elf.reset();
    return image;
  }
  mapped = image.elf->build_id();
  if (path.starts_with('/')) {
    auto source = dwarf::FindSourceMap(*image.elf, path);
    if (source) image.source = std::move(*source);
    if (image.elf->stripped()) image.separate_names = SeparateNames(*image.elf, path);
  }
  if (image.source) image.files.assign(image.source->files().size(), format::kNoIndex);
  return image;
}

std::uint32_t Symbolizer::Function(const std::string& name, std::uint32_t object,
                                   std::uint64_t start, std::uint64_t bytes) {
  const auto next = static_cast<std::uint32_t>(profile_.functions.size());
  const auto [found, is_new] = functions_.try_emplace({object, start, name}, next);
  if (is_new) profile_.functions.push_back({name, object, start, bytes});
  return found->second;
}

std::string Symbolizer::NameOf(const Image& image, const elf::Function& function) {
  const bool named = function.source == elf::FunctionSource::kSymbol ||
                     function.source == elf::FunctionSource::kDynamicSymbol ||
                     function.source == elf::FunctionSource::kPlt;
  if (named) return function.name;
  const auto separate = image.separate_names.find(function.start);
  if (separate != image.separate_names.end()) return separate->second;
  if (!image.source) return function.name;
  const auto number = image.source->FunctionStartingAt(function.start);
  if (!number || image.source->functions()[*number].name.empty()) return function.name;
  return image.source->functions()[*number].name;
}

void Symbolizer::AddBlock(Image& image, const elf::Function& function, std::uint64_t address,
                          format::ProfileLocation& location) {
  const auto [found, is_new] = image.graphs.try_emplace(function.start);
  if (is_new) {
    decode::Decoder decoder(image.elf->architecture());
    found->second = code::ReadFlowGraph(*image.elf, function, decoder, {});
  }
  const std::uint32_t block = found->second.BlockAt(address);
  if (block == code::kOutside) return;
  const code::FlowBlock& at = found->second.blocks[block];
  const auto offset = image.elf->FileOffsetOf(at.address);
  if (!offset) return;
  location.block = *offset;
  location.block_instructions = at.instructions;
}

void Symbolizer::NameInFile(Image& image, std::uint32_t object, format::ProfileLocation& location) {
  const auto address = image.elf->AddressOf(location.offset);
  const elf::Function* function = address ? image.elf->FunctionAt(*address) : nullptr;
  if (function == nullptr) {
    location.function = Function(kUnknownFunction, object, 0, 0);
    return;
  }
  location.function =
      Function(NameOf(image, *function), object, function->start, function->end - function->start);
  AddBlock(image, *function, *address, location);
  if (!image.source) return;
  const auto line = image.source->LineAt(*address);
  if (!line || line->file == dwarf::kUnknown) return;
  std::uint32_t& file = image.files[line->file];
  if (file == format::kNoIndex) {
    file = static_cast<std::uint32_t>(profile_.files.size());
    profile_.files.push_back(image.source->files()[line->file]);
  }
  location.file = file;
  location.line = line->line;
}

void Symbolizer::NameLocation(const StoredPlace& place, std::uint32_t process,
                              format::ProfileLocation& location) {
  const std::uint32_t object = place.place.object;
  location.address = place.address;
  location.offset = place.place.offset;
  const std::string& path = profile_.objects[object].path;
  const AddressNames* names = nullptr;
  if (path == kKernelObject) names = &Kernel();
  if (path == kAnonymousObject) names = &Generated(process);
  if (names != nullptr) {
    const AddressNames::Entry* entry = names->At(place.address);
    location.function = entry == nullptr
                            ? Function(kUnknownFunction, object, 0, 0)
                            : Function(entry->name, object, entry->start, entry->bytes);
    return;
  }
  Image& image = Open(object);
  if (image.elf) {
    NameInFile(image, object, location);
  } else {
    location.function = Function(kUnknownFunction, object, 0, 0);
  }
}

// Build identifiers that were read from files stay.
void Symbolizer::AddObjects(const StoredPart& part) {
  const std::size_t known = profile_.objects.size();
  for (std::size_t i = 0; i < part.objects.size(); ++i) {
    if (i >= known) profile_.objects.push_back({part.objects[i], part.build_ids[i]});
    if (profile_.objects[i].build_id.empty()) profile_.objects[i].build_id = part.build_ids[i];
  }
}

void Symbolizer::AddLocations(const StoredPart& part) {
  const std::size_t first = profile_.locations.size();
  const std::size_t first_stack = profile_.stacks.size();
  // Generated code is named per process. A place is new with a stack.
  generated_.clear();
  std::vector<std::uint32_t> process_of(part.places.size(), 0);
  for (const format::ProfileSample& sample : part.samples) {
    if (sample.stack < first_stack) continue;
    for (const std::uint32_t place : part.stacks[sample.stack - first_stack]) {
      if (place >= first) process_of[place - first] = part.threads[sample.thread].process;
    }
  }
  profile_.locations.resize(first + part.places.size());
  for (std::size_t i = 0; i < part.places.size(); ++i) {
    object_of_.push_back(part.places[i].place.object);
    NameLocation(part.places[i], process_of[i], profile_.locations[first + i]);
  }
}

bool Symbolizer::IsCode(std::uint32_t location) const {
  return profile_.objects[object_of_[location]].path != kUnknownObject;
}

void Symbolizer::AddStacks(StoredPart& part) {
  for (std::size_t i = 0; i < part.stacks.size(); ++i) {
    format::ProfileStack& stack = part.stacks[i];
    // A chain by frame pointer ends in garbage where a function uses the register for itself.
    stack.erase(std::find_if_not(stack.begin() + 1, stack.end(),
                                 [&](std::uint32_t location) { return IsCode(location); }),
                stack.end());
    // Without call frame information: a leaf function on AArch64 has no frame, and the kernel's
    // chain lacks its caller, which is in the link register unless the function has called another
    // one, which leaves an address of the function itself there, or has its frame, whose return
    // address is then in the chain.
    const std::uint32_t link = part.links[i];
    if (link != format::kNoIndex) {
      const auto& leaf = profile_.locations[stack.front()];
      const auto& caller = profile_.locations[link];
      const bool in_chain = stack.size() > 1 && stack[1] == link;
      if (IsCode(link) && !in_chain && caller.function != leaf.function)
        stack.insert(stack.begin() + 1, link);
    }
    profile_.stacks.push_back(std::move(stack));
  }
}

void Symbolizer::Add(StoredPart part) {
  AddObjects(part);
  AddLocations(part);
  AddStacks(part);
  profile_.threads = std::move(part.threads);
  std::ranges::move(part.mappings, std::back_inserter(profile_.mappings));
  std::ranges::move(part.samples, std::back_inserter(profile_.samples));
}

}  // namespace tare::profile
