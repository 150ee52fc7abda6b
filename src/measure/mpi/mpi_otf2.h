// mpi_otf2.h: MPI traces in the Open Trace Format 2 of other tools.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "format/mpi_trace.h"

namespace tare::mpi {

struct Otf2Written {
  std::uint64_t locations = 0;
  std::uint64_t events = 0;
};

// Writes an archive "traces.otf2" in a directory that does not exist yet. Calls become regions with
// messages, collectives and requests inside; times are on the common clock, in nanoseconds. Of
// threads other than the first only the calls are written, and one-sided operations only as calls.
// kUnsupported without OTF2.
Result<Otf2Written> WriteOtf2(const format::MpiTrace& trace,
                              const std::filesystem::path& directory);

}  // namespace tare::mpi
