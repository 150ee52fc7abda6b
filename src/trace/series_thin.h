// series_thin.h: a finished series made smaller, by leaving records out.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace tare::trace {

// Rewrites the sealed file with its first, every `every`-th and its last record. Totals stay right:
// they count from the start. The intervals in head and end are multiplied, everything else stays.
// The file is replaced at once, or left as it was with an error: also when it is not sealed.
// `every` is 1 or more.
Result<void> ThinSeries(const std::filesystem::path& path, std::uint64_t every);

}  // namespace tare::trace
