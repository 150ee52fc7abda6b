// compiled_module.h: the counters of one module built by tare-cc, as executions of machine code.
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

// What is known of the instructions that a function executed.
struct CompiledFunction {
  std::uint64_t low = 0;
  std::uint64_t high = 0;      // code::kUnboundedCount: no bound
  std::uint64_t branches = 0;  // conditional ones that ran, whose ways are known within bounds only
  std::uint64_t unended = 0;   // calls of it that did not come to their end
  bool contradictory = false;  // its counters agree with no flow, unless it stopped in the middle
  bool IsExact() const { return low == high; }
};

struct CompiledModule {
  std::vector<format::Block> blocks;                    // that ran; addresses are those of the file
  std::map<std::uint64_t, CompiledFunction> functions;  // with counters, by start
  std::uint64_t lost_sites = 0;  // counters that the code does not tell the place of
};

// `slots` are the module's counters, added up, and `units` says which of them are blocks'. kFormat
// when the file was not built so, or is another one than ran.
Result<CompiledModule> SolveModule(const elf::ElfImage& image,
                                   std::span<const format::UnitBlocks> units,
                                   std::span<const std::uint64_t> slots);

}  // namespace tare::engine
