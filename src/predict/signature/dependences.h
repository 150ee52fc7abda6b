// dependences.h: what the instructions of a function wait for: loads whose address comes from
// loads, and the longest chain from one iteration of a loop to the next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "binary/decode/architecture.h"
#include "predict/signature/code_graph.h"

namespace tare::signature {

// What the address of a load needs; see LoadsByAddress.
enum class AddressKind : std::uint8_t { kIndependent, kIndirect, kChained };

struct StepDependence {
  AddressKind address = AddressKind::kIndependent;  // of its loads
  // How often per execution its work is on the longest chain of its innermost loop: 1, or less when
  // the chain needs several iterations to return to its start.
  double load = 0;
  double operation = 0;
  double store = 0;  // forwarded to a load of the same address
  double step = 0;   // of the address register
};

struct Dependences {
  std::vector<StepDependence> steps;  // by step of the graph
  // By loop: the instructions after which its longest chain starts anew, because what it begins
  // with does not depend on its last result; 0: never.
  std::vector<double> chain_spans;
};

// Method: docs/methods/signatures.md.
Dependences FindDependences(decode::Architecture architecture, const CodeGraph& graph);

}  // namespace tare::signature
