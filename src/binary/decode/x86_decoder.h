// x86_decoder.h: decoding one x86-64 instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "binary/decode/instruction.h"

namespace tare::decode {

// Nothing for invalid or truncated bytes.
std::optional<Instruction> DecodeX86(std::span<const std::byte> code, std::uint64_t address);

// Empty for an id that DecodeX86 never returned.
std::string_view X86MnemonicName(std::uint32_t id);

// The constant that `lea reg, [rip + x]` or `mov reg, imm` loads into a register. For `mov reg,
// [rip + x]`, and for `jmp [rip + x]` with no register (255), the address of the memory. Registers
// are numbered as in the encoding (7 is rdi).
struct X86Constant {
  std::uint8_t register_number = 255;
  std::uint64_t value = 0;
  bool is_slot = false;
};
std::optional<X86Constant> ConstantOfX86(std::span<const std::byte> code, std::uint64_t address);

}  // namespace tare::decode
