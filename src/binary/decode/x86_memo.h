// x86_memo.h: a cache of decoded x86-64 instructions, keyed by the bytes that determine them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "binary/decode/instruction.h"

namespace tare::decode {

// The bytes before displacement and immediate determine everything but the target of a branch and
// the address of a pc-relative operand. The cache stores the rest under these bytes, the latest per
// slot. Returns the same as DecodeX86. Not thread-safe.
class X86Memo {
 public:
  X86Memo();

  std::optional<Instruction> Decode(std::span<const std::byte> code, std::uint64_t address);

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint16_t form = 0;
    std::uint8_t length = 0;        // 0: the slot is empty
    std::uint8_t target_bytes = 0;  // of a branch offset, which ends the instruction: 0, 1, 4
    std::uint8_t refers_after = 0;  // offset of a 32-bit pc-relative displacement, or 0
  };

  std::optional<Instruction> Learn(std::span<const std::byte> code, std::uint64_t address,
                                   std::uint64_t key, unsigned key_bytes, Slot& slot);
  std::optional<std::uint16_t> FormOf(const Instruction& form);

  std::vector<Slot> slots_;
  std::vector<Instruction> forms_;           // unique, without target and refers_to
  std::vector<std::uint16_t> form_buckets_;  // open addressing over forms_; 0: empty
};

}  // namespace tare::decode
