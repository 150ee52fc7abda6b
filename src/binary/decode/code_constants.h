// code_constants.h: the addresses that a piece of code puts into registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "binary/decode/architecture.h"

namespace tare::decode {

// What one instruction puts into a register: a constant, or the content of memory at a constant
// address. Registers are numbered as in the encoding: rdi is 7, x0 is 0.
struct CodeConstant {
  std::uint8_t register_number = 0;
  std::uint64_t value = 0;
  bool is_slot = false;  // `value` is where the constant lies
  // AArch64: the same instruction seen from the last adrp of its base register, for code in which
  // two branches share one.
  std::optional<std::uint64_t> from_page;
};

// Follows code instruction by instruction, as if it ran straight on.
class ConstantFollower {
 public:
  explicit ConstantFollower(Architecture architecture) : architecture_(architecture) {}

  // The instruction at the beginning of `code`.
  std::optional<CodeConstant> Next(std::span<const std::byte> code, std::uint64_t address);

 private:
  std::optional<CodeConstant> NextWord(std::uint32_t word, std::uint64_t address);

  struct Register {
    std::optional<std::uint64_t> value;
    std::optional<std::uint64_t> page;
  };
  Architecture architecture_;
  std::array<Register, 32> registers_ = {};
};

}  // namespace tare::decode
