// mpi_otf2.h: MPI traces in the Open Trace Format 2 of other tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"
#include "format/mpi_trace.h"
#include "measure/mpi/mpi_join.h"

namespace tare::mpi {

struct Otf2Written {
  std::uint64_t locations = 0;
  std::uint64_t events = 0;
};

// Writes an archive "traces.otf2" in a directory that does not exist yet. Calls become regions with
// messages, collectives and requests inside; times are on the common clock, in nanoseconds. Of
// threads other than the first only the calls are written, and one-sided operations only as calls.
// What OTF2 has no event for are attributes of ours; lists of bytes per member, neighbors and
// counters are not written. kUnsupported without OTF2.
Result<Otf2Written> WriteOtf2(const format::MpiTrace& trace,
                              const std::filesystem::path& directory);

// The file "X.otf2" that `path` is, or that the directory `path` holds beside no files of ours.
std::optional<std::filesystem::path> FindOtf2(const std::filesystem::path& path);

// Reads an archive of `tare mpi export` or another tool. Ranks are the locations of MPI; calls are
// the regions with names of MPI functions, and messages and collectives outside of those. Where
// there is no CPU time, the time between calls is taken, with a caveat. kFormat for archives that
// are damaged or not of an MPI program. kUnsupported without OTF2.
Result<JoinedTrace> ReadOtf2(const std::filesystem::path& anchor);

}  // namespace tare::mpi
