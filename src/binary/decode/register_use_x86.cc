// register_use_x86.cc: the operands that Zydis lists, hidden ones included.
#include <Zydis/Zydis.h>

#include "binary/decode/architecture_uses.h"
#include "binary/decode/x86_zydis.h"

namespace tare::decode {
namespace {

// rax, rcx, rdx, rsi, rdi and r8 to r11 (System V psABI, 3.2.1).
constexpr unsigned kCallerSaved = 0b1111'1100'0111;
constexpr std::size_t kStackPointer = 4;
constexpr std::size_t kNone = kRegisters;

std::size_t UsedNumber(ZydisRegister name) {
  auto whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
  if (whole == ZYDIS_REGISTER_NONE) whole = name;  // masks, x87
  const auto id = static_cast<std::size_t>(ZydisRegisterGetId(whole));
  switch (ZydisRegisterGetClass(whole)) {
    case ZYDIS_REGCLASS_GPR64:
      return id;
    case ZYDIS_REGCLASS_ZMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_XMM:
      return kVectorRegisters + id;
    case ZYDIS_REGCLASS_MASK:
      return kMaskRegisters + id;
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX:
      return kStackedFloats;
    default:
      return kNone;
  }
}

void Include(std::size_t number, RegisterSet& set) {
  if (number != kNone) set.set(number);
}

// The result is the same whatever the register contains (Intel 64 and IA-32 Optimization Reference
// Manual, 3.5.1.7 "Clearing Registers and Dependency Breaking Idioms").
bool IsIdiom(const X86Decoded& it) {
  const auto operands = it.visible();
  if (operands.size() < 2) return false;
  const auto& first = operands[operands.size() - 2];
  const auto& second = operands.back();
  if (first.type != ZYDIS_OPERAND_TYPE_REGISTER || second.type != ZYDIS_OPERAND_TYPE_REGISTER ||
      first.reg.value != second.reg.value) {
    return false;
  }
  switch (it.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_SBB:  // depends on the carry flag alone
      return first.size >= 32;
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_PSUBB:
    case ZYDIS_MNEMONIC_PSUBW:
    case ZYDIS_MNEMONIC_PSUBD:
    case ZYDIS_MNEMONIC_PSUBQ:
    case ZYDIS_MNEMONIC_PCMPEQB:
    case ZYDIS_MNEMONIC_PCMPEQW:
    case ZYDIS_MNEMONIC_PCMPEQD:
    case ZYDIS_MNEMONIC_PCMPEQQ:
    case ZYDIS_MNEMONIC_VXORPS:
    case ZYDIS_MNEMONIC_VXORPD:
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_VPXORD:
    case ZYDIS_MNEMONIC_VPXORQ:
    case ZYDIS_MNEMONIC_VPSUBB:
    case ZYDIS_MNEMONIC_VPSUBW:
    case ZYDIS_MNEMONIC_VPSUBD:
    case ZYDIS_MNEMONIC_VPSUBQ:
    case ZYDIS_MNEMONIC_VPCMPEQB:
    case ZYDIS_MNEMONIC_VPCMPEQW:
    case ZYDIS_MNEMONIC_VPCMPEQD:
    case ZYDIS_MNEMONIC_VPCMPEQQ:
      return true;
    default:
      return false;
  }
}

// Instructions of SSE that write one lane of their result and keep the others.
bool KeepsLanes(const X86Decoded& it) {
  switch (it.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_CVTSI2SD:
    case ZYDIS_MNEMONIC_CVTSI2SS:
    case ZYDIS_MNEMONIC_CVTSS2SD:
    case ZYDIS_MNEMONIC_CVTSD2SS:
    case ZYDIS_MNEMONIC_SQRTSD:
    case ZYDIS_MNEMONIC_SQRTSS:
    case ZYDIS_MNEMONIC_ROUNDSD:
    case ZYDIS_MNEMONIC_ROUNDSS:
      return true;
    case ZYDIS_MNEMONIC_MOVSS:
    case ZYDIS_MNEMONIC_MOVSD:
      return it.all[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
    default:
      return false;
  }
}

bool CopiesRegister(const X86Decoded& it) {
  switch (it.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_VMOVAPS:
    case ZYDIS_MNEMONIC_VMOVAPD:
    case ZYDIS_MNEMONIC_VMOVUPS:
    case ZYDIS_MNEMONIC_VMOVUPD:
    case ZYDIS_MNEMONIC_VMOVDQA:
    case ZYDIS_MNEMONIC_VMOVDQU:
      return it.all[0].type == ZYDIS_OPERAND_TYPE_REGISTER && it.all[0].size >= 32 &&
             it.all[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
    default:
      return false;
  }
}

class X86Use {
 public:
  X86Use(const X86Decoded& it, std::uint64_t address) : it_(it), address_(address) {
    const auto category = it.instruction.meta.category;
    string_ = category == ZYDIS_CATEGORY_STRINGOP || category == ZYDIS_CATEGORY_IOSTRINGOP;
  }

  RegisterUse Read() {
    for (const auto& operand : it_.operands()) {
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) AddMemory(operand);
      if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) AddRegister(operand);
    }
    use_.writes &= ~use_.stepped;
    use_.values &= ~use_.stepped;
    AddFlags();
    if (KeepsLanes(it_)) AddValue(it_.all[0].reg.value);
    if (IsIdiom(it_)) {
      const bool carry = it_.instruction.mnemonic == ZYDIS_MNEMONIC_SBB;
      use_.values.reset();
      use_.values.set(kFlags, carry);
    }
    // The stack pointer of push, pop and ret is the address, and changes by a constant.
    if (use_.memory && use_.writes.test(kStackPointer) && use_.address.test(kStackPointer) &&
        IsStack()) {
      use_.writes.reset(kStackPointer);
      use_.values.reset(kStackPointer);
      use_.stepped.set(kStackPointer);
    }
    if (it_.instruction.mnemonic == ZYDIS_MNEMONIC_CALL) {
      use_.stepped.reset(kStackPointer);
      use_.writes |= RegisterSet(kCallerSaved);
      for (std::size_t i = 0; i < 32; ++i) use_.writes.set(kVectorRegisters + i);
      use_.writes.set(kFlags);
    }
    use_.moves = CopiesRegister(it_);
    return use_;
  }

 private:
  bool IsStack() const {
    switch (it_.instruction.meta.category) {
      case ZYDIS_CATEGORY_PUSH:
      case ZYDIS_CATEGORY_POP:
      case ZYDIS_CATEGORY_CALL:
      case ZYDIS_CATEGORY_RET:
        return true;
      default:
        return false;
    }
  }

  void AddValue(ZydisRegister name) { Include(UsedNumber(name), use_.values); }

  void AddRegister(const ZydisDecodedOperand& operand) {
    const std::size_t number = UsedNumber(operand.reg.value);
    if (number == kNone) return;
    const bool general = number < kVectorRegisters;
    const bool writes = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    // A write of 8 or 16 bits, or one that may not happen, keeps the rest.
    const bool keeps = writes && ((general && operand.size < 32) ||
                                  (operand.actions & ZYDIS_OPERAND_ACTION_CONDWRITE) != 0);
    if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0 || keeps) use_.values.set(number);
    if (writes) use_.writes.set(number);
  }

  void AddMemory(const ZydisDecodedOperand& operand) {
    const auto& memory = operand.mem;
    if (memory.type == ZYDIS_MEMOP_TYPE_AGEN) {  // lea
      AddValue(memory.base);
      AddValue(memory.index);
      return;
    }
    Include(UsedNumber(memory.base), use_.address);
    Include(UsedNumber(memory.index), use_.address);
    if (string_) {
      // Steps through the memory at rsi and rdi; Zydis lists only some of these writes.
      const std::size_t stepped = UsedNumber(memory.base);
      if (stepped != kNone) use_.stepped.set(stepped);
    }
    if (use_.memory) return;
    MemoryOperand place;
    place.thread_local_storage =
        memory.segment == ZYDIS_REGISTER_FS || memory.segment == ZYDIS_REGISTER_GS;
    if (memory.base == ZYDIS_REGISTER_RIP) {
      ZyanU64 absolute = 0;
      if (ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&it_.instruction, &operand, address_, &absolute)))
        place.offset = absolute;
    } else {
      if (memory.disp.has_displacement)
        place.offset = static_cast<std::uint64_t>(memory.disp.value);
      if (memory.base != ZYDIS_REGISTER_NONE) place.base = Narrow(UsedNumber(memory.base));
      if (memory.index != ZYDIS_REGISTER_NONE) {
        place.index = Narrow(UsedNumber(memory.index));
        place.scale = memory.scale;
      }
    }
    use_.memory = place;
  }

  static std::uint8_t Narrow(std::size_t number) {
    return number == kNone ? kNoRegister : static_cast<std::uint8_t>(number);
  }

  void AddFlags() {
    const auto* flags = it_.instruction.cpu_flags;
    if (flags == nullptr) return;
    // The direction flag is constant in compiled code.
    constexpr auto kDirection = ZYDIS_CPUFLAG_DF;
    use_.values.set(kFlags, (flags->tested & ~kDirection) != 0);
    use_.writes.set(kFlags, ((flags->modified | flags->set_0 | flags->set_1 | flags->undefined) &
                             ~kDirection) != 0);
  }

  const X86Decoded& it_;
  std::uint64_t address_;
  bool string_ = false;
  RegisterUse use_;
};

bool UsesNothing(const X86Decoded& it) {
  const auto category = it.instruction.meta.category;
  return category == ZYDIS_CATEGORY_NOP || category == ZYDIS_CATEGORY_WIDENOP;
}

}  // namespace

RegisterUse X86UseOf(std::span<const std::byte> code, std::uint64_t address) {
  X86Decoded it;
  if (!ReadX86(code, it) || UsesNothing(it)) return {};
  return X86Use(it, address).Read();
}

}  // namespace tare::decode
