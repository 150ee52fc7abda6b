// stepped_instruction.h: one executed instruction of a program that runs by single steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "binary/decode/instruction.h"

namespace tare::engine {

struct SteppedInstruction {
  std::uint64_t process = 0;
  std::uint64_t generation = 0;  // number of earlier execve calls
  std::uint64_t thread = 0;      // 1 is the first of the process
  std::uint64_t address = 0;
  std::uint64_t block = 0;  // its number in the recording
  const decode::Instruction& instruction;
  std::span<const std::byte> code;
};

// Called in the order of execution, on the tracer's thread. A repeated instruction is passed once.
using OnStep = std::function<void(const SteppedInstruction&)>;

}  // namespace tare::engine
