// plt_stubs.cc: a stub is known by the slot that it jumps through.
#include "binary/plt_stubs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "binary/code_constants.h"
#include "binary/instruction.h"

namespace tare::binary {
namespace {

class StubReader {
 public:
  StubReader(const ElfFile& file, Architecture architecture,
             std::span<const Relocation> relocations)
      : architecture_(architecture), relocations_(relocations), lazy_(PltRelocations(file)) {}

  // Splits a section behind every jump that does not come back, padding included.
  std::vector<Function> StubsOf(const Section& section) const {
    std::vector<Function> stubs;
    std::size_t start = 0;
    std::size_t at = 0;
    bool jumped = false;
    while (at < section.contents.size()) {
      const auto rest = section.contents.subspan(at);
      const auto instruction = Decode(architecture_, rest, section.address + at);
      const std::size_t length = instruction ? instruction->length : Step();
      const bool padding = instruction && instruction->nop && !IsLandingPad(*instruction);
      if (jumped && !padding) {
        stubs.push_back(Stub(section, start, at));
        start = at;
        jumped = false;
      }
      if (instruction && (instruction->branch == BranchKind::kJump ||
                          instruction->branch == BranchKind::kIndirectJump))
        jumped = true;
      at = std::min(at + length, section.contents.size());
    }
    if (start < at) stubs.push_back(Stub(section, start, at));
    return stubs;
  }

 private:
  std::size_t Step() const { return architecture_ == Architecture::kX86_64 ? 1 : 4; }

  bool IsLandingPad(const Instruction& instruction) const {
    const auto name = MnemonicName(architecture_, instruction.mnemonic);
    return name == "endbr64" || name == "bti";
  }

  Function Stub(const Section& section, std::size_t start, std::size_t end) const {
    Function stub;
    stub.start = section.address + start;
    stub.end = section.address + end;
    stub.source = FunctionSource::kPlt;
    const auto code = section.contents.subspan(start, end - start);
    const Relocation* relocation = BySlot(code, stub.start);
    if (relocation == nullptr) relocation = ByNumber(code);
    stub.name = relocation == nullptr ? "plt" : Target(*relocation) + "@plt";
    return stub;
  }

  static std::string Target(const Relocation& relocation) {
    return relocation.symbol.empty() ? fmt::format("sub_{:x}", relocation.value)
                                     : std::string(relocation.symbol);
  }

  const Relocation* BySlot(std::span<const std::byte> code, std::uint64_t address) const {
    ConstantFollower follower(architecture_);
    for (std::size_t at = 0; at < code.size();) {
      const auto rest = code.subspan(at);
      const auto constant = follower.Next(rest, address + at);
      if (constant && constant->is_slot) {
        const auto found =
            std::ranges::lower_bound(relocations_, constant->value, {}, &Relocation::address);
        if (found != relocations_.end() && found->address == constant->value) return &*found;
      }
      const auto instruction = Decode(architecture_, rest, address + at);
      at += instruction ? instruction->length : Step();
    }
    return nullptr;
  }

  // x86: `push n` hands the number of its relocation to the loader; endbr64 may stand before.
  const Relocation* ByNumber(std::span<const std::byte> code) const {
    if (architecture_ != Architecture::kX86_64) return nullptr;
    constexpr std::byte kPush{0x68};
    for (const std::size_t at : {std::size_t{0}, std::size_t{4}}) {
      std::uint32_t number = 0;
      if (code.size() < at + 5 || code[at] != kPush) continue;
      std::memcpy(&number, code.data() + at + 1, sizeof(number));
      return number < lazy_.size() ? &lazy_[number] : nullptr;
    }
    return nullptr;
  }

  Architecture architecture_;
  std::span<const Relocation> relocations_;
  std::vector<Relocation> lazy_;
};

}  // namespace

std::vector<Function> PltStubs(const ElfFile& file, Architecture architecture,
                               std::span<const Relocation> relocations) {
  std::vector<Function> all;
  if (file.IsObject()) return all;
  const StubReader reader(file, architecture, relocations);
  for (const auto& section : file.sections) {
    const bool plt = section.name.starts_with(".plt") || section.name == ".iplt";
    if (!plt || (section.flags & SHF_EXECINSTR) == 0) continue;
    for (auto& stub : reader.StubsOf(section)) all.push_back(std::move(stub));
  }
  return all;
}

}  // namespace tare::binary
