// operation.h: arithmetic of known amount, as many at once as there is room for, or one after another.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tare::kernels {

enum class Form {
  kThroughput,  // independent operations
  kLatency,     // each needs the result of the one before
};

struct Operation {
  std::string_view name;    // "fp64 fused vector", "integer add"
  std::string_view unit;    // what is counted: "flop", "op"
  Form form;
  unsigned per_turn;        // operations in one turn of the loop; a fused one counts as two flop
                            // in throughput and as one link in a chain
  std::string_view symbol;  // of the machine code
  void (*run)(std::uint64_t turns);
};

// Those that this processor can do.
std::vector<Operation> Operations();

// Walks `count` times over branches whose directions are the bits of `pattern` (0 or 1 each, a
// power of two of them). Returns something that depends on all of them.
std::uint64_t RunBranches(std::span<const std::uint8_t> pattern, std::uint64_t count);

}  // namespace tare::kernels
