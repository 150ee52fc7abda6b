// software_counters_layout.h: checks and parses a counter file on behalf of its reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/counters_wire.h"
#include "format/software_counters.h"

namespace tare::format {

// Fails unless every part that `header` names is aligned, within a file of `file_bytes`, and no
// larger than any program makes it.
Result<void> CheckCounterLayout(const tare_counters_header& header, std::uint64_t file_bytes);

struct UnitContents {
  std::vector<SlotMetric> metrics;
  std::vector<UnitBlocks> blocks;
  std::vector<EntryMetric> entries;         // visible to all modules of the process
  std::vector<EntryMetric> hidden_entries;  // visible to this module only
};

// `units` is a copy of the units in the file. The resulting slots are those of the module's bank.
Result<UnitContents> ParseUnits(std::span<const std::byte> units,
                                const tare_counters_header& header);

}  // namespace tare::format
