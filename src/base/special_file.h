// special_file.h: files that may be named pipes or devices, which make a reader or a writer wait.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace tare {

// The first `count` bytes of a regular file, fewer if it is shorter; none of a missing file, a pipe
// or a device. Never waits.
std::string StartOfFile(const std::filesystem::path& path, std::size_t count);

// Opens a device or pipe for writing, with O_NONBLOCK; waits for the reader of a named pipe. A
// write may fail with EAGAIN: WaitForRoom waits until it can be repeated. Both fail with Stopped()
// when the user asks to stop.
Result<Descriptor> OpenInPlace(const std::filesystem::path& path);
Result<void> WaitForRoom(int descriptor);

}  // namespace tare
