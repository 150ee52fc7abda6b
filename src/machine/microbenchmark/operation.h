// operation.h: loops of a known number of arithmetic operations, independent or dependent.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tare::microbenchmark {

enum class Form {
  kThroughput,  // independent operations
  kLatency,     // each needs the result of the previous one
};

struct Operation {
  std::string_view name;  // "fp64 fused vector", "integer add"
  std::string_view unit;  // the unit of the count: "flop", "op"
  Form form;
  unsigned per_iteration;     // operations per iteration: each lane counts as one, a fused
                              // multiply-add as two flop, and each instruction of a chain as one
  unsigned instructions;      // per iteration, of the mnemonic below
  std::string_view mnemonic;  // as tare::decode names it
  std::string_view symbol;    // of the machine code
  void (*run)(std::uint64_t iterations);  // 1 or more
};

// The operations that this processor supports; vectors are its widest (NEON on AArch64). No operand
// becomes infinite, denormal or NaN.
std::vector<Operation> Operations();

// All of this architecture, including those that this processor cannot run.
std::vector<Operation> AllOperations();

// Executes a branch `count` times, 1 or more. The bits of `pattern` are its directions: 0 or 1
// each, a power of two of them, repeated cyclically. Returns how often the direction was 1.
std::uint64_t RunBranches(std::span<const std::uint8_t> pattern, std::uint64_t count);

}  // namespace tare::microbenchmark
