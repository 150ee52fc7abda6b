// code_constants.h: the constant addresses that code loads into registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "binary/decode/architecture.h"

namespace tare::decode {

// What one instruction loads into a register: a constant, or the content of memory at a constant
// address. Registers are numbered as in the encoding: rdi is 7, x0 is 0.
struct CodeConstant {
  std::uint8_t register_number = 0;
  std::uint64_t value = 0;
  bool is_slot = false;  // `value` is the address of the constant
  // AArch64: the value relative to the last adrp of its base register, for code in which two
  // branches share one adrp.
  std::optional<std::uint64_t> from_page;
};

// Tracks code instruction by instruction, assuming that no branch is taken.
class ConstantFollower {
 public:
  explicit ConstantFollower(Architecture architecture) : architecture_(architecture) {}

  // Processes the instruction at the start of `code`.
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
