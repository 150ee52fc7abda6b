// mpi_record.h: runs a command whose MPI processes record themselves.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "measure/run/process.h"
#include "measure/run/program.h"
#include "measure/run/setting.h"

namespace tare::mpi {

// An MPI library that tare has a recording library for. Libraries of one kind have the same ABI.
enum class MpiKind { kOpenMpi, kMpich };

std::string_view Name(MpiKind kind);  // "openmpi"
std::optional<MpiKind> ParseMpiKind(std::string_view name);

// The library that the command uses: the one that the first of its words that is an MPI program is
// linked to, otherwise the one of the launcher. Absent if neither shows it.
std::optional<MpiKind> FindMpiKind(const std::vector<std::string>& words,
                                   std::string_view search_path);

struct RecordRequest {
  run::ResolvedProgram program;
  run::Setting setting;
  MpiKind kind = MpiKind::kOpenMpi;
  std::filesystem::path library;    // see RecordingLibrary
  std::filesystem::path directory;  // absolute, existing
  // Where programs built by tare-cc count; likewise. Empty: their counters are not recorded.
  std::filesystem::path counters;
  std::uint64_t run = 0;  // random, not 0
  StopAsked interrupted;
};

// The path of the recording library; kUnsupported if this build has none.
Result<std::filesystem::path> RecordingLibrary(MpiKind kind);

// Runs the command. Its processes write to the directory.
Result<run::Finished> RecordMpi(const RecordRequest& request);

}  // namespace tare::mpi
