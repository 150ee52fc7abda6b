// register_follower.h: where the value in a register came from, along a function's code.
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
    kElement,      // an address inside of the table at `value`
    kTableWord,    // 64 bits from the table at `value`
    kTableOffset,  // fewer bits from the table at `value`; 0 for an unknown table
    kTableTarget,  // such an offset added to a constant: where a switch goes
    kField,        // 64 bits at a pointer plus `value`
    kFieldPlus,    // a field's content plus `value`
    kStack,        // an address on the stack
  };
  Kind kind = Kind::kUnknown;
  std::uint8_t loads = 0;  // of a field: how many loads from an unknown pointer led to it
  std::uint64_t value = 0;
  // Of a table's offset and target: bytes of an element, what it is multiplied by, and the constant
  // that it is added to.
  std::uint8_t bytes = 0;
  std::uint8_t scale = 1;
  std::uint64_t base = 0;

  friend bool operator==(const Origin&, const Origin&) = default;
};

// Follows one function in the order of its addresses. At a place that several branches reach, only
// what all of them agree on stays known; branches back are not looked at.
class RegisterFollower {
 public:
  explicit RegisterFollower(decode::Architecture architecture);

  // The instruction at the beginning of `code`. For an indirect branch: where it goes.
  std::optional<Origin> Next(std::span<const std::byte> code, std::uint64_t address);
  // An instruction that changes no general register.
  void Pass(std::uint64_t address);
  // The linker puts `target` into the instruction just seen; nothing for a place in another file.
  void Relocated(std::optional<std::uint64_t> target);
  // It can branch to `target`, which lies ahead in the same function.
  void BranchesTo(std::uint64_t target);
  // The code goes on elsewhere behind the instruction just seen.
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
  std::uint8_t written_ = decode::kNoRegister;  // by the instruction just seen
  bool was_address_ = false;
  std::map<std::uint64_t, State> ahead_;
};

}  // namespace tare::code
