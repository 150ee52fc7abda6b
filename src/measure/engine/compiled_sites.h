// compiled_sites.h: where in a module's code its counters stand.
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
  std::uint64_t address = 0;  // of an instruction that adds to the counter
  std::uint64_t slot = 0;     // of the module's bank
};

// One function and its counters.
struct CountedFunction {
  const elf::Function* function = nullptr;
  std::vector<CompiledSite> sites;
  code::FlowHints hints;
};

// By start. kFormat when the file has no sites, or sites of other units than ran. `image` must
// outlive the result.
Result<std::map<std::uint64_t, CountedFunction>> ReadCountedFunctions(
    const elf::ElfImage& image, std::span<const format::UnitBlocks> units);

}  // namespace tare::engine
