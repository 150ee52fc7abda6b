// shared_file.h: files that a measured program writes while tare reads them.
//
// The program may replace such a file by a link or a FIFO, and cut it short while tare has mapped
// it, after which an access raises SIGBUS (mmap(2)).
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/descriptor.h"
#include "base/result.h"

namespace tare::format {

// Opens a regular file for reading and writing, or only for reading. Follows no link and never
// waits.
Result<Descriptor> OpenShared(const std::filesystem::path& path, bool writable = true);

// While it exists, pages of the mapping that are beyond the end of its file read as zeros. Accesses
// must come from threads that do not block SIGBUS; the constructor unblocks it in its own.
class CutGuard {
 public:
  CutGuard(const void* base, std::uint64_t bytes);
  ~CutGuard();
  CutGuard(const CutGuard&) = delete;
  CutGuard& operator=(const CutGuard&) = delete;

  // Whether such a page was accessed: what was read since may be wrong.
  bool WasCut() const;

 private:
  struct Range;
  friend struct CutHandler;
  Range* range_;
};

// The error for a mapping that was cut.
std::unexpected<Error> FileWasCut(const std::filesystem::path& path);

}  // namespace tare::format
