// x86_zydis.h: one instruction as Zydis describes it.
#pragma once

#include <Zydis/Zydis.h>

#include <cstddef>
#include <span>

namespace tare::decode {

struct X86Decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand all[ZYDIS_MAX_OPERAND_COUNT];

  std::span<const ZydisDecodedOperand> operands() const { return {all, instruction.operand_count}; }
  std::span<const ZydisDecodedOperand> visible() const {
    return {all, instruction.operand_count_visible};
  }
};

// False for invalid or truncated bytes.
bool ReadX86(std::span<const std::byte> code, X86Decoded& it);

}  // namespace tare::decode
