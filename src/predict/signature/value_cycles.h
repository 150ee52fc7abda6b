// value_cycles.h: cycles among the values of a loop: what each iteration needs of the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "predict/signature/value_graph.h"

namespace tare::signature {

// Strongly connected components (Tarjan, 1972), numbered so that a component only needs those with
// smaller or equal numbers.
struct Components {
  std::vector<std::uint32_t> of;  // by value
  std::vector<bool> cyclic;       // by component: its values need themselves
};
Components FindComponents(std::span<const Value> values);

struct ValueCycle {
  double latency = 0;                 // per iteration
  double iterations = 1;              // that one round takes
  std::vector<std::uint32_t> values;  // each once per round; without merges
};

// The cycle with the most latency per iteration among the values for which `weight` is above 0;
// each latency counts times its weight. No values: there is no cycle with latency. Karp's algorithm
// on the values that an iteration hands to the next.
ValueCycle LongestCycle(std::span<const Value> values, const Components& components,
                        std::span<const double> weight);

}  // namespace tare::signature
