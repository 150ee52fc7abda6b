// coverage.h: which functions an engine could see, when it cannot see all of them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "measure/engine/function_key.h"

namespace tare::engine {

// Instructions that a function executed: no fewer than `low`, no more than `high`.
struct InstructionBounds {
  std::uint64_t low = 0;
  std::uint64_t high = 0;  // UINT64_MAX: no bound
  bool IsExact() const { return low == high; }
};

struct Coverage {
  std::map<FunctionKey, InstructionBounds> functions;  // those with counters, run or not
  std::set<std::string> objects;                       // files with such functions

  // Of all functions together.
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
