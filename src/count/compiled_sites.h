// compiled_sites.h: where in a module's code its counters stand.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "binary/elf_image.h"
#include "code/flow_graph.h"
#include "trace/software_counters.h"

namespace tare::count {

struct CompiledSite {
  std::uint64_t address = 0;  // of an instruction that adds to the counter
  std::uint64_t slot = 0;     // of the module's bank
};

// One function and its counters.
struct CountedFunction {
  const binary::Function* function = nullptr;
  std::vector<CompiledSite> sites;
  code::FlowHints hints;
};

// By start. kFormat when the file has no sites, or sites of other units than ran. `image` must
// outlive the result.
Result<std::map<std::uint64_t, CountedFunction>> ReadCountedFunctions(
    const binary::ElfImage& image, std::span<const trace::UnitBlocks> units);

}  // namespace tare::count
