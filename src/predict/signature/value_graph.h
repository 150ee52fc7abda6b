// value_graph.h: the values that the instructions of a loop or function compute, and which of them
// each value needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "binary/decode/architecture.h"
#include "predict/signature/code_graph.h"

namespace tare::signature {

inline constexpr std::uint32_t kNoValue = UINT32_MAX;

enum class ValueKind : std::uint8_t {
  kMerge,  // the content of a register at the start of a piece
  kLoad,
  kOperation,
  kStore,
  kStep,  // of an address register
};

struct ValueInput {
  std::uint32_t value = kNoValue;
  bool carried = false;  // from the iteration before
  bool address = false;  // of a load or store
};

struct Value {
  ValueKind kind = ValueKind::kMerge;
  bool varies = false;  // a load whose address is not the same in all iterations
  std::uint32_t piece = 0;
  std::size_t step = 0;  // of all but merges
  double latency = 0;    // on the reference machine
  std::vector<ValueInput> inputs;
};

// The values of the pieces of one loop, for one iteration; the back edges of inner loops are left
// out. With kNoLoop: of the whole function, all back edges left out.
//
// A memory operand whose registers do not change in the loop is treated as a register, so that
// values that pass through it (spilled registers, counters in memory) are followed.
std::vector<Value> BuildValues(decode::Architecture architecture, const CodeGraph& graph,
                               std::uint32_t loop);

}  // namespace tare::signature
