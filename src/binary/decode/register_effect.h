// register_effect.h: the effect of an instruction on general-purpose registers, for tracking
// addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "binary/decode/architecture.h"

namespace tare::decode {

inline constexpr std::uint8_t kNoRegister = 255;
// Represents the target of an indirect jump or call.
inline constexpr std::uint8_t kBranchTarget = 32;
inline constexpr std::size_t kFollowedRegisters = 33;

// Registers are numbered as in the encoding: rdi is 7, x0 is 0; 31 is AArch64's stack pointer.
struct RegisterEffect {
  enum class Kind : std::uint8_t {
    kNone,      // no general-purpose register changes
    kConstant,  // to = constant
    kAddress,   // to = base + index * scale + constant
    kLoad,      // to = memory at that address
    kInsert,    // to = to with 16 bits replaced (AArch64's movk), starting at bit `scale`
    kUnknown,   // to = anything
  };
  Kind kind = Kind::kNone;
  std::uint8_t to = kNoRegister;
  std::uint8_t base = kNoRegister;
  std::uint8_t index = kNoRegister;
  std::uint8_t scale = 1;
  std::uint8_t bytes = 8;  // of a load
  std::uint64_t constant = 0;
  std::uint64_t also = 0;  // a bit per further register that changes in an unknown way
};

// The effect of the instruction at the start of `code`. A call changes the caller-saved registers.
// Invalid bytes have no effect.
RegisterEffect EffectOf(Architecture architecture, std::span<const std::byte> code,
                        std::uint64_t address);

}  // namespace tare::decode
