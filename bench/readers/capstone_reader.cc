// capstone_reader.cc: Capstone's decoders, with their details.
#include <capstone/capstone.h>

#include "code.h"
#include "reader.h"

namespace readers {
namespace {

using tare::decode::Architecture;

class Handle {
 public:
  explicit Handle(Architecture architecture) {
    const bool x86 = architecture == Architecture::kX86_64;
    cs_open(x86 ? CS_ARCH_X86 : CS_ARCH_ARM64, x86 ? CS_MODE_64 : CS_MODE_ARM, &handle_);
    cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
    instruction_ = cs_malloc(handle_);
    const unsigned count = x86 ? unsigned{X86_REG_ENDING} : unsigned{ARM64_REG_ENDING};
    for (unsigned i = 0; i < count; ++i) {
      const char* name = cs_reg_name(handle_, i);
      masks_.push_back(0);
      if (const auto number = RegisterNumber(architecture, name != nullptr ? name : ""))
        masks_.back() = std::uint64_t{1} << *number;
    }
  }
  ~Handle() {
    cs_free(instruction_, 1);
    cs_close(&handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  const cs_insn* Decode(std::span<const std::byte> bytes, std::uint64_t address) {
    const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t size = bytes.size();
    return cs_disasm_iter(handle_, &at, &size, &address, instruction_) ? instruction_ : nullptr;
  }

  bool Is(const cs_insn& it, unsigned group) const { return cs_insn_group(handle_, &it, group); }

  std::uint64_t Written(const cs_insn& it) const {
    cs_regs read, written;
    std::uint8_t read_count = 0, written_count = 0;
    if (cs_regs_access(handle_, &it, read, &read_count, written, &written_count) != CS_ERR_OK)
      return 0;
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < written_count; ++i) mask |= masks_[written[i]];
    return mask;
  }

 private:
  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
  std::vector<std::uint64_t> masks_;
};

void SetX86(const Handle& handle, const cs_insn& it, InstructionFact& fact) {
  const auto& detail = it.detail->x86;
  const bool direct = detail.op_count > 0 && detail.operands[0].type == X86_OP_IMM;
  if (handle.Is(it, CS_GRP_CALL)) {
    fact.branch = direct ? "call" : "indirect-call";
  } else if (handle.Is(it, CS_GRP_RET)) {
    fact.branch = "return";
  } else if (it.id == X86_INS_JMP) {
    fact.branch = direct ? "jump" : "indirect-jump";
  } else if (handle.Is(it, CS_GRP_JUMP)) {
    fact.branch = "conditional";
  }
  if (fact.branch != "none" && fact.branch != "return" && direct)
    fact.target = static_cast<std::uint64_t>(detail.operands[0].imm);
  fact.loads = fact.stores = false;
  fact.load_bytes = fact.store_bytes = 0;
  for (unsigned i = 0; i < detail.op_count; ++i) {
    const auto& one = detail.operands[i];
    if (one.type != X86_OP_MEM || it.id == X86_INS_LEA || it.id == X86_INS_NOP) continue;
    if ((one.access & CS_AC_READ) != 0) {
      fact.loads = true;
      *fact.load_bytes += one.size;
    }
    if ((one.access & CS_AC_WRITE) != 0) {
      fact.stores = true;
      *fact.store_bytes += one.size;
    }
  }
}

void SetA64(const Handle& handle, const cs_insn& it, InstructionFact& fact) {
  const auto& detail = it.detail->arm64;
  const auto last = detail.op_count > 0 ? detail.op_count - 1 : 0;
  const bool direct = detail.op_count > 0 && detail.operands[last].type == ARM64_OP_IMM;
  switch (it.id) {
    case ARM64_INS_B:
      fact.branch =
          detail.cc != ARM64_CC_INVALID && detail.cc != ARM64_CC_AL ? "conditional" : "jump";
      break;
    case ARM64_INS_CBZ:
    case ARM64_INS_CBNZ:
    case ARM64_INS_TBZ:
    case ARM64_INS_TBNZ:
      fact.branch = "conditional";
      break;
    case ARM64_INS_BL:
      fact.branch = "call";
      break;
    default:
      if (handle.Is(it, CS_GRP_RET)) {
        fact.branch = "return";
      } else if (handle.Is(it, CS_GRP_CALL)) {
        fact.branch = "indirect-call";
      } else if (handle.Is(it, CS_GRP_JUMP)) {
        fact.branch = "indirect-jump";
      }
  }
  if (fact.branch != "none" && direct)
    fact.target = static_cast<std::uint64_t>(detail.operands[last].imm);
  fact.loads = fact.stores = false;
  for (unsigned i = 0; i < detail.op_count; ++i) {
    const auto& one = detail.operands[i];
    if (one.type != ARM64_OP_MEM) continue;
    if ((one.access & CS_AC_READ) != 0) fact.loads = true;
    if ((one.access & CS_AC_WRITE) != 0) fact.stores = true;
  }
}

std::uint64_t Decode(const std::string& path, Listing* listing, bool with_registers) {
  const Code code = ReadCode(path);
  Handle handle(code.architecture);
  const bool x86 = code.architecture == Architecture::kX86_64;
  return DecodeAll(code, listing, [&](std::span<const std::byte> bytes, std::uint64_t address) {
    InstructionFact fact;
    const cs_insn* it = handle.Decode(bytes, address);
    if (it == nullptr) return fact;
    fact.length = it->size;
    fact.branch = "none";
    x86 ? SetX86(handle, *it, fact) : SetA64(handle, *it, fact);
    if (with_registers && !fact.branch.ends_with("call")) fact.written = handle.Written(*it);
    if (listing != nullptr) fact.name = it->mnemonic;
    return fact;
  });
}

std::uint64_t Instructions(const std::string& path, Listing* listing) {
  return Decode(path, listing, false);
}

std::uint64_t Registers(const std::string& path, Listing* listing) {
  return Decode(path, listing, true);
}

}  // namespace
}  // namespace readers

int main(int argc, char** argv) {
  using namespace readers;
  return RunReader({.instructions = Instructions, .registers = Registers}, argc, argv);
}
