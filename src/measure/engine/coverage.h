// coverage.h: which functions an engine could count, if it sees only instrumented code.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "measure/engine/function_key.h"

namespace tare::engine {

// Bounds on the instructions that a function executed, inclusive.
struct InstructionBounds {
  std::uint64_t low = 0;
  std::uint64_t high = 0;  // UINT64_MAX: unbounded
  bool IsExact() const { return low == high; }
};

struct Coverage {
  std::map<FunctionKey, InstructionBounds>
      functions;                  // those with counters, whether they ran or not
  std::set<std::string> objects;  // files that contain such functions

  // Bounds on the sum over all functions.
  InstructionBounds Total() const {
    InstructionBounds total;
    for (const auto& [key, bounds] : functions) {
      total.low += bounds.low;
      total.high = bounds.high > UINT64_MAX - total.high ? UINT64_MAX : total.high + bounds.high;
    }
    return total;
  }
};

}  // namespace tare::engine
