// file.h: whole files, read within a limit and written so that a reader never sees half of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare {

// All bytes of the file; refuses directories and more than `max_bytes`.
Result<std::string> ReadFile(const std::filesystem::path& path, std::uint64_t max_bytes);

// Replaces `path` by `bytes` at once: temporary file in the same directory, fsync, rename. On
// failure what was there before is still there and nothing is left over. Devices and pipes are
// written in place.
Result<void> WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes);

// "cannot VERB PATH: reason of errno", the path made safe for a terminal.
Error SystemError(std::string_view verb, const std::filesystem::path& path, int error_number);

}  // namespace tare
