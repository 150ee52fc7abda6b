// software_counters_layout.h: the checks that stand between a file of counters and its reader.
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

// Whether every part that `header` names lies in a file of `file_bytes`, is aligned, and is not
// larger than any program makes it.
Result<void> CheckCounterLayout(const tare_counters_header& header, std::uint64_t file_bytes);

struct UnitContents {
  std::vector<SlotMetric> metrics;
  std::vector<UnitBlocks> blocks;
  std::vector<EntryMetric> entries;         // known to all modules of the process
  std::vector<EntryMetric> hidden_entries;  // to this module only
};

// `units` is a copy of what the file holds; slots are those of the module's bank.
Result<UnitContents> ParseUnits(std::span<const std::byte> units,
                                const tare_counters_header& header);

}  // namespace tare::format
