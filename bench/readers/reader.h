// reader.h: what every compared reader of binaries offers, and the program around it.
#pragma once

#include <cstdint>
#include <string>

#include "listing.h"

namespace readers {

// Each function reads the file and returns how many facts it found. With a listing it also adds
// them there, for comparison; without one it does what a measurement of its speed needs. Null where
// the library has no such reader. Damage may be answered by a smaller count.
struct Reader {
  std::uint64_t (*symbols)(const std::string& path, Listing* listing) = nullptr;
  std::uint64_t (*lines)(const std::string& path, Listing* listing) = nullptr;
  std::uint64_t (*functions)(const std::string& path, Listing* listing) = nullptr;
  std::uint64_t (*instructions)(const std::string& path, Listing* listing) = nullptr;
  std::uint64_t (*registers)(const std::string& path, Listing* listing) = nullptr;
  // Lines and functions as one call, where that is what a program would use.
  std::uint64_t (*sourcemap)(const std::string& path, Listing* listing) = nullptr;
};

// READER TASK FILE          one line: facts, processor ns, wall ns, peak KiB
// READER TASK FILE --list   the facts, one per line
// READER TASK --each LIST   reads each file of LIST in a child process with limits; one line per
//                           file: "ok", "signal N", "status N" or "timeout", processor ms, peak KiB
int RunReader(const Reader& reader, int argc, char** argv);

}  // namespace readers
