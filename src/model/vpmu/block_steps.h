// block_steps.h: what a record of the flow makes the models do, worked out once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "binary/decode/architecture.h"
#include "format/flow_reader.h"
#include "model/core/recent_lines.h"

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

// Even: a store; odd: a load. The first two are told to the view of recent lines as they are.
enum class StepKind : std::uint8_t {
  kStore,
  kLoad,
  kGuardedStore,
  kGuardedLoad,
  kWideStore,  // of more bytes than a line has
  kWideLoad,
  kFetch,
  kEnd,  // no more steps
};
constexpr bool IsStore(StepKind kind) { return (static_cast<unsigned>(kind) & 1U) == 0; }
constexpr bool IsGuarded(StepKind kind) {
  return kind == StepKind::kGuardedStore || kind == StepKind::kGuardedLoad;
}

// One fetch of code or one access of data.
struct Step {
  std::uint64_t offset = 0;       // added to the word; of a fetch, the address
  std::uint16_t size = 0;         // of kStore and kLoad the view's Reach; else the bytes less 1
  std::uint16_t code_offset = 0;  // of the instruction, from the block's start
  std::uint16_t word = 0;         // of the record
  StepKind kind = StepKind::kEnd;
  // More than 1: a run. It stands for as many steps less 1 behind it, and is no access itself: when
  // what they touch together lies in a known line, they are done; when not, each is done by itself.
  std::uint8_t steps = 1;

  // Of kStore and kLoad.
  model::RecentLines::Reach reach() const { return {size, static_cast<std::uint8_t>(kind)}; }
  std::uint32_t bytes(std::uint32_t data_line_bytes) const {
    return kind > StepKind::kLoad ? size + 1U
                                  : data_line_bytes - (size >> static_cast<unsigned>(kind));
  }
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
  std::uint64_t wrong = 0;  // branches at its end that were mispredicted
  std::uint32_t first_step = 0;
  std::uint32_t block = 0;
  std::uint32_t code_bytes = 0;
  std::uint32_t branch_offset = 0;  // of the last instruction
  std::uint32_t sample = 0;         // in which it ran last
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

// Powers of two.
struct LineBytes {
  std::uint32_t code = 0;
  std::uint32_t data = 0;
};

// `number` is that of its records. kFormat for what cannot be: words that the record does not have,
// more than can be counted.
Result<DescribedBlock> Describe(const format::FlowBlock& block, std::uint64_t number,
                                decode::Architecture architecture, LineBytes lines);

}  // namespace tare::vpmu
