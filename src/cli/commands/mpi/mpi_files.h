// mpi_files.h: directories of `tare mpi`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/mpi/mpi_join.h"

namespace tare::cli {

// Creates the directory if it does not exist, and returns its absolute path. kUsage if it is not
// empty.
Result<std::filesystem::path> MakeTraceDirectory(const std::string& name);

// Copies the files of the first job of several directories to a new one, and reads it. Copies
// nothing if they are of different runs.
Result<mpi::JoinedTrace> JoinDirectories(const std::vector<std::string>& from,
                                         const std::string& to);

// Writes an OTF2 archive to a new directory, and returns a sentence about it.
Result<std::string> ExportOtf2(const mpi::JoinedTrace& joined, const std::string& directory);

}  // namespace tare::cli
