// mpi_join.h: joins the files of the ranks of one MPI job to a trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "format/mpi_trace.h"

namespace tare::mpi {

struct MpiFile {
  std::filesystem::path path;
  std::uint32_t job = 1;
  std::uint32_t rank = 0;
};

// "rank-3.mpi" and "job-2-rank-3.mpi".
std::optional<MpiFile> ParseMpiFileName(const std::filesystem::path& path);

// The files of a directory, by job and rank. Fails if there are none.
Result<std::vector<MpiFile>> FindMpiFiles(const std::filesystem::path& directory);

struct JoinedTrace {
  format::MpiTrace trace;
  std::uint32_t job = 1;
  std::uint32_t jobs = 1;       // in the directory
  std::vector<Caveat> caveats;  // ranks that are missing or incomplete, clocks
};

// Reads a job of a directory, or an OTF2 archive (FindOtf2 of mpi_otf2.h). Missing and incomplete
// ranks are caveats. Fails on files that are not traces and on files of different runs.
Result<JoinedTrace> ReadMpiDirectory(const std::filesystem::path& directory, std::uint32_t job = 1);

// Joins ranks, in any order, at least one. Rank numbers that are missing become ranks without
// events. Fails if two ranks have the same number or belong to different runs or jobs.
Result<JoinedTrace> JoinMpiRanks(std::vector<format::MpiRank> ranks);

// Adds caveats about ranks that are not complete.
void StateIncompleteRanks(JoinedTrace& joined);

}  // namespace tare::mpi
