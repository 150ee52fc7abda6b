// leaf_caller.cc: rules from libdw, and what they say about a sample's registers and stack.
#include "measure/profile/leaf_caller.h"

#include <cstring>
#include <map>

#include "measure/profile/sampled_registers.h"

#ifdef TARE_HAS_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>

#include <cstdlib>

#include "base/descriptor.h"
#endif

namespace tare::profile {

#ifdef TARE_HAS_LIBDW

namespace {

using Where = ReturnRule::Where;

// The register and offset of a canonical frame address; absent if it is anything else.
struct FrameBase {
  int number;
  std::int64_t offset;
};
std::optional<FrameBase> BaseOf(Dwarf_Frame* frame) {
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count != 1) return std::nullopt;
  const Dwarf_Op& base = operations[0];
  if (base.atom >= DW_OP_breg0 && base.atom <= DW_OP_breg31) {
    return FrameBase{base.atom - DW_OP_breg0, static_cast<std::int64_t>(base.number)};
  }
  if (base.atom == DW_OP_bregx) {
    return FrameBase{static_cast<int>(base.number), static_cast<std::int64_t>(base.number2)};
  }
  return std::nullopt;
}

// The offset of a saved register from the canonical frame address.
std::optional<std::int64_t> OffsetOf(const Dwarf_Op* operations, std::size_t count) {
  if (count == 0 || operations[0].atom != DW_OP_call_frame_cfa) return std::nullopt;
  if (count == 1) return 0;
  if (count == 2 && operations[1].atom == DW_OP_plus_uconst) {
    return static_cast<std::int64_t>(operations[1].number);
  }
  return std::nullopt;
}

ReturnRule RuleOf(Dwarf_Frame* frame, int return_column) {
  Dwarf_Op memory[3];
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_register(frame, return_column, memory, &operations, &count) != 0) return {};
  if (count == 0) {
    // A register without rule: its value is the caller's or, if `operations` says so, undefined.
    return {.where = operations == memory ? Where::kNowhere : Where::kLinkRegister};
  }
  const auto base = BaseOf(frame);
  const auto saved = OffsetOf(operations, count);
  if (!base || !saved) return {};
  if (base->number == DwarfStackPointer()) {
    return {.where = Where::kStack, .offset = base->offset + *saved};
  }
  if (base->number == DwarfFramePointer()) return {.where = Where::kFrame};
  return {};
}

}  // namespace

struct ReturnRules::File {
  struct Kept {
    std::uint64_t end = 0;
    ReturnRule rule;
  };
  struct EndElf {
    void operator()(Elf* handle) const { elf_end(handle); }
  };

  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (cfi != nullptr) dwarf_cfi_end(cfi);
  }

  Descriptor descriptor;
  std::unique_ptr<Elf, EndElf> elf;
  Dwarf_CFI* cfi = nullptr;            // belongs to `elf`
  std::map<std::uint64_t, Kept> kept;  // by start

  std::optional<std::uint64_t> AddressOf(std::uint64_t offset) const {
    std::size_t count = 0;
    if (elf_getphdrnum(elf.get(), &count) != 0) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf.get(), static_cast<int>(i), &segment) == nullptr) continue;
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
      if (offset >= segment.p_offset && offset - segment.p_offset < segment.p_filesz) {
        return offset - segment.p_offset + segment.p_vaddr;
      }
    }
    return std::nullopt;
  }

  ReturnRule Find(std::uint64_t address) {
    auto next = kept.upper_bound(address);
    if (next != kept.begin() && address < std::prev(next)->second.end) {
      return std::prev(next)->second.rule;
    }
    Dwarf_Frame* frame = nullptr;
    // A file without information about this address is asked again each time: that is rare.
    if (dwarf_cfi_addrframe(cfi, address, &frame) != 0) return {};
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    bool signal_frame = false;
    const int column = dwarf_frame_info(frame, &start, &end, &signal_frame);
    const ReturnRule rule = column < 0 || signal_frame ? ReturnRule{} : RuleOf(frame, column);
    std::free(frame);
    if (column >= 0 && start <= address && address < end) kept[start] = {end, rule};
    return rule;
  }
};

ReturnRules::ReturnRules(const std::string& path) : file_(std::make_unique<File>()) {
  elf_version(EV_CURRENT);
  file_->descriptor = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file_->descriptor.IsOpen()) return;
  file_->elf.reset(elf_begin(file_->descriptor.Number(), ELF_C_READ_MMAP, nullptr));
  if (file_->elf && elf_kind(file_->elf.get()) == ELF_K_ELF) {
    file_->cfi = dwarf_getcfi_elf(file_->elf.get());
  }
}

ReturnRule ReturnRules::At(std::uint64_t file_offset) {
  if (file_ == nullptr || file_->cfi == nullptr) return {};
  const auto address = file_->AddressOf(file_offset);
  if (!address) return {};
  ReturnRule rule = file_->Find(*address);
  constexpr std::uint64_t kInstruction = 4;
  if (rule.where == Where::kStack && HasLinkRegister() && *address >= kInstruction) {
    rule.just_saved = file_->Find(*address - kInstruction).where == Where::kLinkRegister;
  }
  return rule;
}

#else

struct ReturnRules::File {};

ReturnRules::ReturnRules(const std::string&) {}
ReturnRule ReturnRules::At(std::uint64_t) { return {}; }

#endif

ReturnRules::~ReturnRules() = default;
ReturnRules::ReturnRules(ReturnRules&&) noexcept = default;
ReturnRules& ReturnRules::operator=(ReturnRules&&) noexcept = default;

LeafCaller ApplyRule(const ReturnRule& rule, const PerfRecord& sample) {
  using Known = LeafCaller::Known;
  const auto in_register = [&]() -> LeafCaller {
    const auto link = SampledLink(sample);
    return link && *link != 0 ? LeafCaller{Known::kYes, *link} : LeafCaller{};
  };
  switch (rule.where) {
    case ReturnRule::Where::kUnknown:
      return {};
    case ReturnRule::Where::kLinkRegister:
      return in_register();
    case ReturnRule::Where::kFrame:
    case ReturnRule::Where::kNowhere:
      return {Known::kInChain};
    case ReturnRule::Where::kStack:
      break;
  }
  if (HasLinkRegister()) return rule.just_saved ? in_register() : LeafCaller{Known::kInChain};
  std::uint64_t address = 0;
  const auto offset = static_cast<std::uint64_t>(rule.offset);
  if (rule.offset < 0 || offset + sizeof address > sample.stack.size()) return {};
  std::memcpy(&address, sample.stack.data() + offset, sizeof address);
  return address == 0 ? LeafCaller{} : LeafCaller{Known::kYes, address};
}

FindLeafCaller MakeLeafCallerFinder() {
  using Files = std::map<std::string, ReturnRules>;
  auto files = std::make_shared<Files>();
  return [files](const PerfRecord& sample, std::uint64_t address, ProcessMaps& maps) {
    const CodePlace place = maps.Find(sample.process, address);
    const std::string& path = maps.Objects()[place.object];
    if (!path.starts_with('/')) return LeafCaller{};
    const auto rules = files->try_emplace(path, path).first;
    return ApplyRule(rules->second.At(place.offset), sample);
  };
}

}  // namespace tare::profile
