// mpi_files.cc: creates, fills and joins directories of MPI traces.
#include "cli/commands/mpi/mpi_files.h"

#include <fmt/format.h>

#include <system_error>

#include "base/file.h"
#include "base/grouped.h"
#include "base/printable.h"
#include "measure/mpi/mpi_otf2.h"

namespace tare::cli {

Result<std::filesystem::path> MakeTraceDirectory(const std::string& name) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(name, error);
  if (error) return std::unexpected(SystemError("create", name, error.value()));
  std::filesystem::create_directory(path, error);
  if (error) return std::unexpected(SystemError("create", path, error.value()));
  const bool is_empty = std::filesystem::is_empty(path, error);
  if (error) return std::unexpected(SystemError("read", path, error.value()));
  if (!is_empty) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} is not empty; name a new directory, or remove what it holds",
                            Printable(name)));
  }
  return path;
}

Result<mpi::JoinedTrace> JoinDirectories(const std::vector<std::string>& from,
                                         const std::string& to) {
  std::vector<mpi::MpiFile> files;
  std::vector<format::MpiRank> ranks;
  for (const std::string& directory : from) {
    if (mpi::FindOtf2(directory)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{} is an OTF2 archive; tare mpi show and tare replay read it as it "
                              "is",
                              Printable(directory)));
    }
    TRY(const auto found, mpi::FindMpiFiles(directory));
    for (const mpi::MpiFile& file : found) {
      if (file.job != 1) continue;
      TRY(auto rank, format::ReadMpiRank(file.path));
      ranks.push_back(std::move(rank));
      files.push_back(file);
    }
  }
  if (files.empty()) return Fail(ErrorKind::kFormat, "the directories hold no files of job 1");
  TRY(auto joined, mpi::JoinMpiRanks(std::move(ranks)));
  TRY(const auto directory, MakeTraceDirectory(to));
  for (const mpi::MpiFile& file : files) {
    std::error_code error;
    std::filesystem::copy_file(file.path, directory / file.path.filename(), error);
    if (error) return std::unexpected(SystemError("copy", file.path, error.value()));
  }
  return joined;
}

Result<std::string> ExportOtf2(const mpi::JoinedTrace& joined, const std::string& directory) {
  TRY(const auto written, mpi::WriteOtf2(joined.trace, directory));
  return fmt::format("Wrote {} events of {} locations to {}/traces.otf2.", Grouped(written.events),
                     written.locations, Printable(directory));
}

}  // namespace tare::cli
