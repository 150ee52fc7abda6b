// file.h: reads whole files up to a size limit and replaces files atomically.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace tare {

// Returns all bytes of the file. Fails on directories and on more than `max_bytes`.
Result<std::string> ReadFile(const std::filesystem::path& path, std::uint64_t max_bytes);

// Replaces the contents of `path` by `bytes` atomically: a temporary file in the same directory,
// fsync, rename. On failure the old file is unchanged and no temporary file remains. Devices and
// pipes are written in place.
Result<void> WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes);

// Returns an error "cannot VERB PATH: <text for errno>" with the path made printable.
Error SystemError(std::string_view verb, const std::filesystem::path& path, int error_number);

// Prefixes the message of an error with "PATH: ".
Error InFile(const std::filesystem::path& path, Error error);

// The result of parsing the contents of `path`: an error names the file.
template <typename T>
Result<T> InFile(const std::filesystem::path& path, Result<T> parsed) {
  if (!parsed) return std::unexpected(InFile(path, std::move(parsed).error()));
  return parsed;
}

}  // namespace tare
