// block_steps.h: precomputes what a record of the flow does to the models.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "binary/decode/architecture.h"
#include "format/flow_reader.h"
#include "model/core/recent_lines.h"

namespace tare::vpmu {

// What remains to be modelled once it is known where control went after the block.
enum class Ending : std::uint8_t {
  kNothing,
  kConditional,
  kIndirectJump,
  kCall,
  kIndirectCall,
  kReturn,
  kOperation,  // the operation of a repeated instruction, which may return to itself
};

// Even values are stores, odd values loads. kStore and kLoad are also the LineBound::shift of
// RecentLines.
enum class StepKind : std::uint8_t {
  kStore,
  kLoad,
  kGuardedStore,
  kGuardedLoad,
  kWideStore,  // larger than a line
  kWideLoad,
  kFetch,
  kEnd,  // no more steps
};
constexpr bool IsStore(StepKind kind) { return (static_cast<unsigned>(kind) & 1U) == 0; }
constexpr bool IsGuarded(StepKind kind) {
  return kind == StepKind::kGuardedStore || kind == StepKind::kGuardedLoad;
}

// One code fetch or one data access.
struct Step {
  std::uint64_t offset = 0;       // added to the word; the address of a fetch
  std::uint16_t size = 0;         // LineBound::max_offset for kStore and kLoad, otherwise bytes - 1
  std::uint16_t code_offset = 0;  // offset of the instruction from the block's start
  std::uint16_t word = 0;         // index of the word in the record
  StepKind kind = StepKind::kEnd;
  // If greater than 1, this step is a run and not an access. It represents the `steps` - 1 steps
  // after it: if all their addresses are in one recent line, they are done; otherwise each is done
  // separately.
  std::uint8_t steps = 1;

  // For kStore and kLoad.
  model::RecentLines::LineBound bound() const { return {size, static_cast<std::uint8_t>(kind)}; }
  std::uint32_t bytes(std::uint32_t data_line_bytes) const {
    return kind > StepKind::kLoad ? size + 1U
                                  : data_line_bytes - (size >> static_cast<unsigned>(kind));
  }
};
static_assert(sizeof(Step) == 16);

// These are not addresses of lines.
inline constexpr std::uint64_t kNoLine = 1;
inline constexpr std::uint64_t kNothingFetched = 3;

// The data of one kind of record that the loop over records needs, including counters, in one cache
// line. `second` counts how often a conditional branch was not taken, or how often an operation
// returned to its instruction.
struct alignas(64) RecordKind {
  std::uint64_t start = 0;       // address of the first instruction
  std::uint64_t first_line = 0;  // of that instruction; kNoLine: in two, always fetched
  std::uint64_t records = 0;
  std::uint64_t second = 0;
  std::uint64_t wrong = 0;  // mispredicted branches at its end
  std::uint32_t first_step = 0;
  std::uint32_t first_fetch = 0;  // the steps of a record without accesses; 0: there are none
  std::uint32_t block = 0;
  std::uint32_t sample = 0;  // last sample in which it ran
  std::uint16_t code_bytes = 0;
  std::uint16_t branch_offset = 0;  // offset of the last instruction
  std::uint16_t words = 0;
  std::uint8_t first_bytes = 0;  // size of the first instruction
  Ending ending = Ending::kNothing;

  std::uint64_t behind() const { return start + code_bytes; }
  // Counters as in wire.h. The counters of a block are the sum over all its kinds of records; those
  // of one kind may be negative and wrap around.
  tare_wire_counters Counters() const {
    if (ending == Ending::kOperation) return {0 - second, records};
    return {records, second};
  }
};
static_assert(sizeof(RecordKind) == 64);

// Data that is rarely needed. Counts are per execution, counted as in tally.h.
struct BlockFacts {
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t branches = 0;  // conditional branches
  bool repeated = false;       // loads and stores are per iteration
  std::uint64_t target = 0;    // target of the conditional branch at its end
};

struct DescribedBlock {
  RecordKind kind;  // without first_step and first_fetch
  std::vector<Step> steps;
  std::vector<Step> fetches;  // the steps without the accesses; empty if there are no fetches
  BlockFacts facts;
};

// Powers of two.
struct LineBytes {
  std::uint32_t code = 0;
  std::uint32_t data = 0;
};

// `number` is the number of its records. Fails (kFormat) on impossible descriptions: words that the
// record does not have, or numbers that are too large.
Result<DescribedBlock> Describe(const format::FlowBlock& block, std::uint64_t number,
                                decode::Architecture architecture, LineBytes lines);

}  // namespace tare::vpmu
