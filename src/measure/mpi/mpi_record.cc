// mpi_record.cc: chooses the recording library and puts it into the command's environment.
#include "measure/mpi/mpi_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "format/counters_wire.h"
#include "format/mpi_wire.h"
#include "machine/host/engine_files.h"

namespace tare::mpi {
namespace {

// Larger programs link MPI through a library anyway.
constexpr std::uint64_t kMaxProgramBytes = std::uint64_t{256} << 20;

struct KindRow {
  MpiKind kind;
  std::string_view name;
  std::string_view package;
  std::array<std::string_view, 2> libraries;  // names in DT_NEEDED
  std::array<std::string_view, 4> launchers;  // parts of the launcher's file name
};

constexpr std::array kKinds = {
    KindRow{MpiKind::kOpenMpi,
            "openmpi",
            "libopenmpi-dev",
            {"libmpi.so.40", "libmpi_mpifh.so.40"},
            {"orterun", "openmpi", "prterun", "ompi"}},
    KindRow{MpiKind::kMpich,
            "mpich",
            "libmpich-dev",
            {"libmpich.so.12", "libmpi.so.12"},
            {"hydra", "mpich", "mpiexec.gforker", "mvapich"}},
};

const KindRow& RowOf(MpiKind kind) { return *std::ranges::find(kKinds, kind, &KindRow::kind); }

// The library that an ELF file names as needed: its dynamic string table has the name as a word of
// its own.
std::optional<MpiKind> LinkedKind(const std::filesystem::path& path) {
  const auto bytes = ReadFile(path, kMaxProgramBytes);
  if (!bytes || !bytes->starts_with("\x7f"
                                    "ELF"))
    return std::nullopt;
  for (const KindRow& row : kKinds) {
    for (const std::string_view library : row.libraries) {
      std::string word(1, '\0');
      word += library;
      word += '\0';
      if (bytes->find(word) != std::string::npos) return row.kind;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view Name(MpiKind kind) { return RowOf(kind).name; }

std::optional<MpiKind> ParseMpiKind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &KindRow::name);
  if (found == kKinds.end()) return std::nullopt;
  return found->kind;
}

std::optional<MpiKind> FindMpiKind(const std::vector<std::string>& words,
                                   std::string_view search_path) {
  std::optional<MpiKind> launcher;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with('-')) continue;
    const auto program = run::Resolve({{words[i]}}, search_path);
    if (!program) continue;
    std::error_code error;
    const auto file = std::filesystem::canonical(program->path, error);
    const std::string name = (error ? program->path : file).filename().string();
    const auto by_name = [&]() -> std::optional<MpiKind> {
      for (const KindRow& row : kKinds) {
        for (const std::string_view part : row.launchers) {
          if (name.find(part) != std::string::npos) return row.kind;
        }
      }
      return std::nullopt;
    }();
    // Launchers may link the library, too.
    if (i == 0 && by_name) {
      launcher = by_name;
      continue;
    }
    if (const auto linked = LinkedKind(program->path)) return linked;
  }
  return launcher;
}

Result<std::filesystem::path> RecordingLibrary(MpiKind kind) {
  const host::EngineFiles files = host::FindEngineFiles();
  const auto& library = kind == MpiKind::kOpenMpi ? files.openmpi_library : files.mpich_library;
  if (!library) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("this tare was built without support for {}; install {} and build it "
                            "again",
                            Name(kind), RowOf(kind).package));
  }
  if (library->string().find_first_of(" :") != std::string::npos) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot preload {}: its path must not contain blanks or colons",
                            Printable(library->string())));
  }
  return *library;
}

Result<run::Finished> RecordMpi(const RecordRequest& request) {
  run::Setting setting = request.setting;
  std::string preload = request.library.string();
  if (const char* before = std::getenv("LD_PRELOAD"); before != nullptr && *before != '\0') {
    preload += ":";
    preload += before;
  }
  setting.environment.set.emplace_back("LD_PRELOAD", preload);
  setting.environment.set.emplace_back(TARE_MPI_DIRECTORY_VARIABLE, request.directory.string());
  setting.environment.set.emplace_back(TARE_MPI_RUN_VARIABLE, fmt::format("{:016x}", request.run));
  if (!request.counters.empty()) {
    setting.environment.set.emplace_back(TARE_RUN_VARIABLE, request.counters.string());
  }
  run::Hooks hooks;
  hooks.interrupted = request.interrupted;
  return run::RunProgram(request.program, setting, hooks);
}

}  // namespace tare::mpi
