// compiled_sites.h: finds the instructions in a module's code that increment its counters.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "binary/code/flow_graph.h"
#include "binary/elf/elf_image.h"
#include "format/software_counters.h"

namespace tare::engine {

struct CompiledSite {
  std::uint64_t address = 0;  // of an instruction that increments the counter
  std::uint64_t slot = 0;     // in the module's counter bank
};

// One function and its counter sites.
struct CountedFunction {
  const elf::Function* function = nullptr;
  std::vector<CompiledSite> sites;
  code::FlowHints hints;
};

// Keyed by start address. kFormat if the file has no sites, or sites of other units than those that
// ran. `image` must outlive the result.
Result<std::map<std::uint64_t, CountedFunction>> ReadCountedFunctions(
    const elf::ElfImage& image, std::span<const format::UnitBlocks> units);

}  // namespace tare::engine
