// compiled_module.h: converts the counters of one module built by tare-cc to block executions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "binary/code/flow_counts.h"
#include "binary/elf/elf_image.h"
#include "format/recording.h"
#include "format/software_counters.h"

namespace tare::engine {

// Bounds on the instructions that a function executed.
struct CompiledFunction {
  std::uint64_t low = 0;
  std::uint64_t high = 0;  // code::kUnboundedCount: unbounded
  std::uint64_t branches =
      0;  // executed conditional branches whose taken count is known only within bounds
  std::uint64_t unended = 0;   // calls of it that did not finish
  bool contradictory = false;  // no flow matches its counters, unless it stopped part way
  bool IsExact() const { return low == high; }
};

struct CompiledModule {
  std::vector<format::Block> blocks;  // executed ones; addresses are those of the file
  std::map<std::uint64_t, CompiledFunction> functions;  // those with counters, by start address
  std::uint64_t lost_sites = 0;  // counters whose location in the code is unknown
};

// `slots` are the module's counters, summed over banks; `units` says which of them count blocks.
// kFormat if the file has no block counters or is not the file that ran.
Result<CompiledModule> SolveModule(const elf::ElfImage& image,
                                   std::span<const format::UnitBlocks> units,
                                   std::span<const std::uint64_t> slots);

// The block counters of a module, as its file describes them. kFormat if it has none.
Result<std::vector<format::UnitBlocks>> BlockCountersOf(const elf::ElfImage& image);

// What one execution of the instructions of a block costs, in any unit.
using BlockCost = std::function<double(std::uint64_t address, std::uint32_t bytes)>;

// What one increment of each slot is worth: the sum of weights times increments is the cost of the
// code that was executed meanwhile, of any part of the run.
struct SlotWeights {
  std::vector<double> slots;
  double total = 0;        // cost of the whole run
  double unexplained = 0;  // how far weights times `slots` can be from it
};

// `slots` are those of a whole run. The result has an element for each of `costs`.
Result<std::vector<SlotWeights>> WeighSlots(const elf::ElfImage& image,
                                            std::span<const std::uint64_t> slots,
                                            std::span<const BlockCost> costs);

}  // namespace tare::engine
