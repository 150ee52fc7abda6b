// series_thin.h: a series without the records that are not regular any more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"

namespace tare::format {

// Rewrites the sealed file with those records, numbered from 0, that `keeps` wants, and says that
// they are `interval` apart. All channels stand in its head then. The file is replaced at once,
// or left as it was with an error.
Result<void> KeepRecords(const std::filesystem::path& path, std::uint64_t interval,
                         const std::function<bool(std::uint64_t record)>& keeps);

}  // namespace tare::format
