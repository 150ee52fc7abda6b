// operation.h: arithmetic of known amount, as many at once as there is room for, or one after
// another.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tare::microbenchmark {

enum class Form {
  kThroughput,  // independent operations
  kLatency,     // each needs the result of the one before
};

struct Operation {
  std::string_view name;  // "fp64 fused vector", "integer add"
  std::string_view unit;  // what is counted: "flop", "op"
  Form form;
  unsigned per_turn;          // operations in one turn of the loop; each lane is one, and a fused
                              // one counts as two flop. In a chain each instruction is one link
  unsigned instructions;      // in one turn, of the mnemonic below
  std::string_view mnemonic;  // as tare::decode names it
  std::string_view symbol;    // of the machine code
  void (*run)(std::uint64_t turns);  // 1 or more
};

// Those that this processor can do; vectors are the widest it has (NEON on AArch64). No operand
// becomes infinite, denormal or no number.
std::vector<Operation> Operations();

// Of this architecture, also those that this processor cannot run.
std::vector<Operation> AllOperations();

// Walks `count` times, 1 or more, over a branch whose directions are the bits of `pattern` (0 or 1
// each, a power of two of them, again from the front when they are through). Returns how many of
// them were 1.
std::uint64_t RunBranches(std::span<const std::uint8_t> pattern, std::uint64_t count);

}  // namespace tare::microbenchmark
