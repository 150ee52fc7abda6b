// compiled_module.h: converts the counters of one module built by tare-cc to block executions.
#pragma once

#include <cstdint>
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

}  // namespace tare::engine
