// register_use.h: the registers that an instruction reads and writes, for following dependences.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "binary/decode/architecture.h"
#include "binary/decode/register_effect.h"

namespace tare::decode {

// Registers of both architectures in one numbering: 0 to 31 are general-purpose registers as in the
// encoding (31: AArch64's stack pointer); 32 to 63 vector and floating-point registers; then the
// flags as one, masks and predicates, and the x87 and MMX registers as one.
inline constexpr std::size_t kVectorRegisters = 32;
inline constexpr std::size_t kFlags = 64;
inline constexpr std::size_t kMaskRegisters = 65;
inline constexpr std::size_t kStackedFloats = 81;
inline constexpr std::size_t kRegisters = 82;
using RegisterSet = std::bitset<kRegisters>;

// A memory operand: base + index * scale + offset. Two with equal fields name the same address as
// long as their registers do not change.
struct MemoryOperand {
  std::uint8_t base = kNoRegister;
  std::uint8_t index = kNoRegister;
  std::uint8_t scale = 1;
  bool thread_local_storage = false;  // relative to fs or gs
  std::uint64_t offset = 0;           // the address of a pc-relative operand

  friend auto operator<=>(const MemoryOperand&, const MemoryOperand&) = default;
};

// A register that keeps part of its content is read, too. Idioms that clear a register read
// nothing.
struct RegisterUse {
  RegisterSet values;   // read to compute the result, to decide, or to be stored
  RegisterSet address;  // read to form the address of a load, store or prefetch
  RegisterSet writes;   // written with the result or with what a load returns
  // Written from the registers of the address alone: write-back, the stack pointer of push and pop.
  RegisterSet stepped;
  std::optional<MemoryOperand> memory;  // of the first load or store
  bool moves = false;                   // only copies one whole register to another
};

// The use of the instruction at the start of `code`. A call writes its caller-saved registers and
// leaves the stack pointer as it was. Invalid bytes use nothing.
RegisterUse UseOf(Architecture architecture, std::span<const std::byte> code,
                  std::uint64_t address);

}  // namespace tare::decode
