// block_steps.h: what a record of the flow makes the models do, worked out once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/architecture.h"
#include "trace/flow_reader.h"

namespace tare::vpmu {

// What is left to tell when it is known where control went from the block.
enum class Ending : std::uint8_t {
  kNothing,
  kConditional,
  kIndirectJump,
  kCall,
  kIndirectCall,
  kReturn,
  kOperation,  // of a repeated instruction, which may come back to itself
};

enum class StepKind : std::uint8_t { kLoad, kStore, kGuardedLoad, kGuardedStore, kFetch };
constexpr bool IsStore(StepKind kind) { return (static_cast<unsigned>(kind) & 1U) != 0; }

// One fetch of code or one access of data.
struct Step {
  std::uint64_t offset = 0;       // added to the word; of a fetch, the address
  std::uint16_t last_byte = 0;    // that many behind the first
  std::uint16_t code_offset = 0;  // of the instruction, from the block's start
  std::uint16_t word = 0;         // of the record; 0: none
  StepKind kind = StepKind::kFetch;

  std::uint32_t bytes() const { return last_byte + 1U; }
};
static_assert(sizeof(Step) == 16);

// Addresses of no line.
inline constexpr std::uint64_t kNoLine = 1;
inline constexpr std::uint64_t kNothingFetched = 3;

// What the loop over records needs of one kind of record, in one cache line, counters included.
// `second` counts how often a conditional branch was not taken, and how often an operation came
// back to its instruction.
struct alignas(64) RecordKind {
  std::uint64_t start = 0;       // address of its first instruction
  std::uint64_t first_line = 0;  // that this is in; kNoLine: it lies in two and is always fetched
  std::uint64_t records = 0;
  std::uint64_t second = 0;
  std::uint32_t first_step = 0;
  std::uint32_t block = 0;
  std::uint32_t code_bytes = 0;
  std::uint32_t branch_offset = 0;  // of the last instruction
  std::uint32_t sample = 0;         // in which it ran last
  std::uint16_t steps = 0;
  std::uint16_t words = 0;
  std::uint8_t first_bytes = 0;  // of its first instruction
  Ending ending = Ending::kNothing;

  std::uint64_t behind() const { return start + code_bytes; }
  // As wire.h has them. Those of all kinds of a block together are its counters: parts of them may
  // be less than 0, and wrap round.
  tare_wire_counters Counters() const {
    if (ending == Ending::kOperation) return {0 - second, records};
    return {records, second};
  }
};
static_assert(sizeof(RecordKind) == 64);

// What is seldom needed. Counts are those of one execution, as the tally has them.
struct BlockFacts {
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t branches = 0;  // conditional
  bool repeated = false;       // loads and stores are of one iteration
  std::uint64_t target = 0;    // of the conditional branch at its end
};

struct DescribedBlock {
  RecordKind kind;  // without first_step
  std::vector<Step> steps;
  BlockFacts facts;
};

// `line_bytes` is a power of two. kFormat for what cannot be: words that the record does not have,
// more than can be counted.
Result<DescribedBlock> Describe(const trace::FlowBlock& block, decode::Architecture architecture,
                                std::uint64_t line_bytes);

}  // namespace tare::vpmu
