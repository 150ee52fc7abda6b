// register_follower.h: tracking where register values come from along a function's code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "binary/decode/register_effect.h"

namespace tare::code {

struct Origin {
  enum class Kind : std::uint8_t {
    kUnknown,
    kConstant,     // `value` itself
    kSlot,         // the 64 bits at the constant address `value`
    kElement,      // an address within the table at `value`
    kTableWord,    // 64 bits from the table at `value`
    kTableOffset,  // fewer bits from the table at `value`; 0 for an unknown table
    kTableTarget,  // such an offset added to a constant: the target of a switch
    kField,        // 64 bits at a pointer plus `value`
    kFieldPlus,    // a field's content plus `value`
    kStack,        // an address on the stack
  };
  Kind kind = Kind::kUnknown;
  std::uint8_t loads = 0;  // of a field: number of loads, starting from an unknown pointer
  std::uint64_t value = 0;
  // For kTableOffset and kTableTarget: bytes of an element, its scale factor, and the constant to
  // which it is added.
  std::uint8_t bytes = 0;
  std::uint8_t scale = 1;
  std::uint64_t base = 0;

  friend bool operator==(const Origin&, const Origin&) = default;
};

// Follows one function in order of address. Where several branches join, only values on which all
// of them agree stay known; backward branches are ignored.
class RegisterFollower {
 public:
  explicit RegisterFollower(decode::Architecture architecture);

  // Processes the instruction at the start of `code`. For an indirect branch: returns its target.
  std::optional<Origin> Next(std::span<const std::byte> code, std::uint64_t address);
  // Skips an instruction that changes no general-purpose register.
  void Pass(std::uint64_t address);
  // The previous instruction is relocated to `target`; nothing for a symbol of another file.
  void Relocated(std::optional<std::uint64_t> target);
  // The previous instruction can branch to `target`, which is ahead in the same function.
  void BranchesTo(std::uint64_t target);
  // Control does not fall through from the previous instruction.
  void Ends() { reached_ = false; }

 private:
  using State = std::array<Origin, decode::kFollowedRegisters>;
  void Arrive(std::uint64_t address);
  Origin Evaluate(const decode::RegisterEffect& effect) const;
  Origin EvaluateAddress(const decode::RegisterEffect& effect) const;
  Origin EvaluateLoad(const decode::RegisterEffect& effect) const;
  Origin Of(std::uint8_t number) const;

  decode::Architecture architecture_;
  std::uint8_t stack_pointer_;
  State state_ = {};
  bool reached_ = true;
  std::uint8_t written_ = decode::kNoRegister;  // by the previous instruction
  bool was_address_ = false;
  std::map<std::uint64_t, State> ahead_;
};

}  // namespace tare::code
