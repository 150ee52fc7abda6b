// stride_table.cc: the last line and step of each instruction.
#include "model/core/stride_table.h"

namespace tare::model {

std::int64_t StrideTable::Learn(std::uint64_t site, std::uint64_t line) {
  // The lowest bits are equal for all AArch64 instructions; the bits above distinguish functions.
  const std::uint64_t index = ((site >> 2) ^ (site >> 12)) & (entries_.size() - 1);
  Entry& entry = entries_[index];
  if (entry.site != site) {
    entry = {.site = site, .line = line, .step = 0};
    return 0;
  }
  const auto step = static_cast<std::int64_t>(line - entry.line);
  const bool again = step == entry.step;
  entry.line = line;
  entry.step = step;
  return again ? step : 0;
}

}  // namespace tare::model
