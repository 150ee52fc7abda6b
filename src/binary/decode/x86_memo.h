// x86_memo.h: remembers x86-64 instructions by the bytes that decide what they are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "binary/decode/instruction.h"

namespace tare::decode {

// Of an instruction, the bytes before displacement and immediate decide all but two things: the
// target of a branch and the address that a pc-relative operand names. The memo keeps the rest
// under those bytes, the latest for each slot. It gives what DecodeX86 gives. For one thread.
class X86Memo {
 public:
  X86Memo();

  std::optional<Instruction> Decode(std::span<const std::byte> code, std::uint64_t address);

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint16_t form = 0;
    std::uint8_t length = 0;        // 0: the slot is empty
    std::uint8_t target_bytes = 0;  // of a branch's offset, which ends the instruction: 0, 1, 4
    std::uint8_t refers_after = 0;  // where a pc-relative displacement of 32 bits begins, or 0
  };

  std::optional<Instruction> Learn(std::span<const std::byte> code, std::uint64_t address,
                                   std::uint64_t key, unsigned key_bytes, Slot& slot);
  std::optional<std::uint16_t> FormOf(const Instruction& form);

  std::vector<Slot> slots_;
  std::vector<Instruction> forms_;           // each once, without target and refers_to
  std::vector<std::uint16_t> form_buckets_;  // open addressing over forms_, 0 for none
};

}  // namespace tare::decode
