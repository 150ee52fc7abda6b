// register_effect_x86.cc: mov, lea, add and the operands of indirect branches; all others are
// unknown.
#include <Zydis/Zydis.h>

#include <algorithm>
#include <optional>

#include "binary/decode/architecture_effects.h"
#include "binary/decode/x86_zydis.h"

namespace tare::decode {
namespace {

using Kind = RegisterEffect::Kind;

// rax, rcx, rdx, rsi, rdi and r8 to r11 are caller-saved (System V psABI, 3.2.1).
constexpr std::uint64_t kCallChanges = 0b1111'1100'0111;

std::uint8_t NumberOf(ZydisRegister name) {
  const auto whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
  if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return kNoRegister;
  return static_cast<std::uint8_t>(ZydisRegisterGetId(whole));
}

// Whether the whole register changes: 32-bit writes clear the upper half, smaller ones keep the
// rest.
bool Whole(const ZydisDecodedOperand& operand) { return operand.size >= 32; }

// Sets the address of a memory operand; false when it is not a sum of general-purpose registers.
bool SetAddress(const X86Decoded& it, const ZydisDecodedOperand& operand, std::uint64_t address,
                RegisterEffect& effect) {
  const auto& memory = operand.mem;
  if (memory.segment == ZYDIS_REGISTER_FS || memory.segment == ZYDIS_REGISTER_GS) return false;
  if (memory.base == ZYDIS_REGISTER_RIP) {
    ZyanU64 absolute = 0;
    if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&it.instruction, &operand, address, &absolute)))
      return false;
    effect.constant = absolute;
    return true;
  }
  if (memory.base != ZYDIS_REGISTER_NONE) effect.base = NumberOf(memory.base);
  if (memory.index != ZYDIS_REGISTER_NONE) {
    effect.index = NumberOf(memory.index);
    if (effect.index == kNoRegister) return false;
    effect.scale = memory.scale;
  }
  if (memory.disp.has_displacement) effect.constant = static_cast<std::uint64_t>(memory.disp.value);
  return memory.base == ZYDIS_REGISTER_NONE || effect.base != kNoRegister;
}

std::optional<RegisterEffect> FromOperand(const X86Decoded& it, const ZydisDecodedOperand& source,
                                          std::uint64_t address) {
  RegisterEffect effect;
  if (source.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
    effect.kind = Kind::kConstant;
    effect.constant = source.imm.value.u;
    return effect;
  }
  if (source.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    effect.kind = Kind::kAddress;
    effect.base = NumberOf(source.reg.value);
    if (effect.base == kNoRegister) return std::nullopt;
    return effect;
  }
  if (source.type != ZYDIS_OPERAND_TYPE_MEMORY || !SetAddress(it, source, address, effect))
    return std::nullopt;
  effect.kind = source.mem.type == ZYDIS_MEMOP_TYPE_AGEN ? Kind::kAddress : Kind::kLoad;
  effect.bytes = static_cast<std::uint8_t>(std::min(source.size / 8, 64));
  return effect;
}

// The sum that `add to, x` and `sub to, constant` compute.
std::optional<RegisterEffect> Sum(const X86Decoded& it) {
  const auto& source = it.all[1];
  RegisterEffect effect;
  effect.kind = Kind::kAddress;
  effect.base = NumberOf(it.all[0].reg.value);
  const bool add = it.instruction.mnemonic == ZYDIS_MNEMONIC_ADD;
  if (source.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
    effect.constant = add ? source.imm.value.u : 0 - source.imm.value.u;
    return effect;
  }
  if (!add || source.type != ZYDIS_OPERAND_TYPE_REGISTER) return std::nullopt;
  effect.index = NumberOf(source.reg.value);
  if (effect.index == kNoRegister) return std::nullopt;
  return effect;
}

std::optional<RegisterEffect> Known(const X86Decoded& it, std::uint64_t address) {
  switch (it.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_LEA:
      return FromOperand(it, it.all[1], address);
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
      return it.instruction.operand_width == 64 ? Sum(it) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// String instructions step through the memory at rsi and rdi; Zydis lists only some of these
// writes.
bool IsString(const X86Decoded& it) {
  return it.instruction.meta.category == ZYDIS_CATEGORY_STRINGOP ||
         it.instruction.meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

std::uint64_t AllWritten(const X86Decoded& it) {
  std::uint64_t written = 0;
  for (const auto& operand : it.operands()) {
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY && IsString(it)) {
      const auto stepped = NumberOf(operand.mem.base);
      if (stepped != kNoRegister) written |= std::uint64_t{1} << stepped;
    }
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0) continue;
    const auto number = NumberOf(operand.reg.value);
    if (number != kNoRegister) written |= std::uint64_t{1} << number;
  }
  return written;
}

}  // namespace

RegisterEffect X86EffectOf(std::span<const std::byte> code, std::uint64_t address) {
  X86Decoded it;
  RegisterEffect effect;
  if (!ReadX86(code, it)) return effect;
  const auto mnemonic = it.instruction.mnemonic;
  const bool call = mnemonic == ZYDIS_MNEMONIC_CALL;
  if (call || mnemonic == ZYDIS_MNEMONIC_JMP) {
    if (const auto known = FromOperand(it, it.all[0], address);
        known && known->kind != Kind::kConstant) {
      effect = *known;
      effect.to = kBranchTarget;
    }
    if (call) effect.also = kCallChanges;
    return effect;
  }
  const auto written = AllWritten(it);
  if (written == 0) return effect;
  const auto& first = it.all[0];
  if (first.type == ZYDIS_OPERAND_TYPE_REGISTER && Whole(first) && it.visible().size() == 2) {
    if (const auto known = Known(it, address)) {
      effect = *known;
      effect.to = NumberOf(first.reg.value);
      if (effect.to != kNoRegister) return effect;
      effect = {};
    }
  }
  effect.also = written;
  return effect;
}

}  // namespace tare::decode
