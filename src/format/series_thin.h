// series_thin.h: removes records from a series, so that the rest are at regular intervals.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"

namespace tare::format {

// Rewrites the sealed file with only the records, numbered from 0, for which `keeps` returns true,
// and states that they are `interval` apart. The new head contains all channels. The file is
// replaced atomically, or left unchanged on error.
Result<void> ThinSeries(const std::filesystem::path& path, std::uint64_t interval,
                        const std::function<bool(std::uint64_t record)>& keeps);

}  // namespace tare::format
