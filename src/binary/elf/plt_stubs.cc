// plt_stubs.cc: identifying a stub by the GOT slot through which it jumps.
#include "binary/elf/plt_stubs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "binary/decode/code_constants.h"
#include "binary/decode/instruction.h"
#include "binary/elf/elf_references.h"

namespace tare::elf {
namespace {

constexpr std::byte kPush{0x68};

class StubReader {
 public:
  StubReader(const ElfFile& file, decode::Architecture architecture,
             std::span<const Reference> references,
             std::span<const std::pair<std::string, std::uint64_t>> resolvers)
      : architecture_(architecture), references_(references), lazy_(PltReferences(file)) {
    const auto underscores = [](std::string_view name) {
      return std::min(name.find_first_not_of('_'), name.size());
    };
    for (const auto& [name, address] : resolvers) {
      const auto [known, fresh] = resolvers_.emplace(address, name);
      if (!fresh && underscores(name) < underscores(known->second)) known->second = name;
    }
  }

  // Splits a section after every unconditional jump and the padding that follows. The half of an
  // x86 stub that serves lazy binding belongs to it.
  std::vector<Function> StubsOf(const Section& section) const {
    std::vector<Function> stubs;
    std::size_t start = 0;
    std::size_t at = 0;
    bool jumped = false;
    while (at < section.contents.size()) {
      const auto rest = section.contents.subspan(at);
      const auto instruction = decode::Decode(architecture_, rest, section.address + at);
      const std::size_t length = instruction ? instruction->length : Step();
      const bool padding = instruction && instruction->nop && !IsLandingPad(*instruction);
      if (jumped && !padding) {
        Add(Stub(section, start, at), section.contents.subspan(start), stubs);
        start = at;
        jumped = false;
      }
      if (instruction && (instruction->branch == decode::BranchKind::kJump ||
                          instruction->branch == decode::BranchKind::kIndirectJump))
        jumped = true;
      at = std::min(at + length, section.contents.size());
    }
    if (start < at) Add(Stub(section, start, at), section.contents.subspan(start), stubs);
    return stubs;
  }

 private:
  std::size_t Step() const { return architecture_ == decode::Architecture::kX86_64 ? 1 : 4; }

  void Add(Function stub, std::span<const std::byte> code, std::vector<Function>& stubs) const {
    const bool second_half = architecture_ == decode::Architecture::kX86_64 && !stubs.empty() &&
                             stubs.back().name == stub.name && code[0] == kPush;
    if (second_half) {
      stubs.back().end = stub.end;
    } else {
      stubs.push_back(std::move(stub));
    }
  }

  bool IsLandingPad(const decode::Instruction& instruction) const {
    const auto name = decode::MnemonicName(architecture_, instruction.mnemonic);
    return name == "endbr64" || name == "bti";
  }

  Function Stub(const Section& section, std::size_t start, std::size_t end) const {
    Function stub;
    stub.start = section.address + start;
    stub.end = section.address + end;
    stub.source = FunctionSource::kPlt;
    const auto code = section.contents.subspan(start, end - start);
    const Reference* reference = BySlot(code, stub.start);
    if (reference == nullptr) reference = ByNumber(code);
    stub.name = reference == nullptr ? "plt" : Target(*reference) + "@plt";
    return stub;
  }

  std::string Target(const Reference& reference) const {
    if (!reference.symbol.empty()) return std::string(reference.symbol);
    const auto resolver = resolvers_.find(reference.target);
    if (reference.chosen_at_run_time && resolver != resolvers_.end())
      return std::string(resolver->second);
    return fmt::format("sub_{:x}", reference.target);
  }

  const Reference* BySlot(std::span<const std::byte> code, std::uint64_t address) const {
    decode::ConstantFollower follower(architecture_);
    for (std::size_t at = 0; at < code.size();) {
      const auto rest = code.subspan(at);
      const auto constant = follower.Next(rest, address + at);
      if (constant && constant->is_slot) {
        const auto found =
            std::ranges::lower_bound(references_, constant->value, {}, &Reference::address);
        if (found != references_.end() && found->address == constant->value) return &*found;
      }
      const auto instruction = decode::Decode(architecture_, rest, address + at);
      at += instruction ? instruction->length : Step();
    }
    return nullptr;
  }

  // x86: `push n` passes the index of its relocation to the loader (psABI, Procedure Linkage
  // Table); endbr64 may precede it.
  const Reference* ByNumber(std::span<const std::byte> code) const {
    if (architecture_ != decode::Architecture::kX86_64) return nullptr;
    for (const std::size_t at : {std::size_t{0}, std::size_t{4}}) {
      std::uint32_t number = 0;
      if (code.size() < at + 5 || code[at] != kPush) continue;
      std::memcpy(&number, code.data() + at + 1, sizeof(number));
      return number < lazy_.size() ? &lazy_[number] : nullptr;
    }
    return nullptr;
  }

  decode::Architecture architecture_;
  std::span<const Reference> references_;
  std::map<std::uint64_t, std::string_view> resolvers_;  // by address
  std::vector<Reference> lazy_;
};

}  // namespace

std::vector<Function> PltStubs(const ElfFile& file, decode::Architecture architecture,
                               std::span<const Reference> references,
                               std::span<const std::pair<std::string, std::uint64_t>> resolvers) {
  std::vector<Function> all;
  if (file.IsObject()) return all;
  const StubReader reader(file, architecture, references, resolvers);
  for (const auto& section : file.sections) {
    const bool plt = section.name.starts_with(".plt") || section.name == ".iplt";
    if (!plt || (section.flags & SHF_EXECINSTR) == 0) continue;
    for (auto& stub : reader.StubsOf(section)) all.push_back(std::move(stub));
  }
  return all;
}

}  // namespace tare::elf
