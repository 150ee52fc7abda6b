// mpi_join.cc: finds files, makes communicators common to all ranks, and aligns clocks.
#include "measure/mpi/mpi_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "base/printable.h"
#include "measure/mpi/mpi_clocks.h"
#include "measure/mpi/mpi_otf2.h"
#include "measure/mpi/openmp_regions.h"

namespace tare::mpi {
namespace {

using format::MpiCommunicator;
using format::MpiEvent;
using format::MpiRank;

// What makes a communicator the same in several processes.
struct CommunicatorKey {
  int kind = 0;  // 0: child of a parent, 1: known by its members only, 2: MPI_COMM_SELF
  std::uint32_t parent = 0;
  std::uint64_t ordinal = 0;
  std::uint64_t members = 0;  // hash
  std::uint64_t remote = 0;

  friend auto operator<=>(const CommunicatorKey&, const CommunicatorKey&) = default;
};

std::uint64_t HashOf(const std::vector<std::int32_t>& ranks) {
  std::uint64_t hash = 0xcbf29ce484222325 + ranks.size();
  for (const std::int32_t rank : ranks) {
    hash = (hash ^ static_cast<std::uint32_t>(rank)) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return hash;
}

// For each communicator of the process: the how-manieth of its parent it is. All members of the
// parent make its communicators and windows in the same order, even those that get none.
std::vector<std::optional<std::uint64_t>> Ordinals(const MpiRank& rank) {
  std::vector<std::optional<std::uint64_t>> ordinals(rank.communicators.size());
  std::vector<std::uint64_t> made(rank.communicators.size());
  for (const MpiEvent& event : rank.events) {
    if (event.error != 0 || event.function == TARE_MPI_F_Comm_create_group) continue;
    if (event.operation != TARE_MPI_COMMUNICATOR && event.operation != TARE_MPI_WIN_CREATE) {
      continue;
    }
    const std::uint64_t ordinal = made[event.communicator]++;
    if (event.new_communicator != 0) ordinals[event.new_communicator] = ordinal;
  }
  return ordinals;
}

// Gives the communicators of all processes common indices.
class Communicators {
 public:
  explicit Communicators(format::MpiTrace& trace) : trace_(trace) {
    MpiCommunicator world;
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
      world.members.push_back(static_cast<std::int32_t>(rank));
    }
    trace_.communicators.push_back(std::move(world));
  }

  void Add(std::uint32_t number) {
    MpiRank& rank = trace_.ranks[number];
    const auto ordinals = Ordinals(rank);
    std::vector<std::uint32_t> common(rank.communicators.size());
    std::map<CommunicatorKey, std::uint64_t> alike;
    for (std::size_t i = 1; i < rank.communicators.size(); ++i) {
      const MpiCommunicator& own = rank.communicators[i];
      CommunicatorKey key;
      key.members = HashOf(own.members);
      key.remote = HashOf(own.remote_members);
      if (i == TARE_MPI_SELF) {
        key.kind = 2;
        key.ordinal = number;
      } else if (own.kind == TARE_MPI_COMM_INTER || own.kind == TARE_MPI_COMM_GROUP ||
                 !own.parent || !ordinals[i]) {
        key.kind = 1;
        if (key.remote < key.members) std::swap(key.members, key.remote);
        key.ordinal = alike[key]++;
      } else {
        key.parent = common[*own.parent];
        key.ordinal = *ordinals[i];
      }
      common[i] = IndexOf(key, own, common);
      if (own.kind == TARE_MPI_COMM_TOPOLOGY) {
        trace_.neighbors[{common[i], number}] = {own.sources, own.destinations};
      }
    }
    for (MpiEvent& event : rank.events) {
      event.communicator = common[event.communicator];
      if (event.new_communicator != 0) event.new_communicator = common[event.new_communicator];
    }
    if (rank.outcome.in_progress) {
      std::uint32_t& used = rank.outcome.in_progress->communicator;
      used = used < common.size() ? common[used] : TARE_MPI_WORLD;
    }
    rank.communicators.clear();
  }

 private:
  std::uint32_t IndexOf(const CommunicatorKey& key, const MpiCommunicator& own,
                        const std::vector<std::uint32_t>& common) {
    const auto [found, is_new] =
        known_.try_emplace(key, static_cast<std::uint32_t>(trace_.communicators.size()));
    if (is_new) {
      MpiCommunicator copy = own;
      if (copy.parent) copy.parent = common[*copy.parent];
      copy.sources.clear();
      copy.destinations.clear();
      trace_.communicators.push_back(std::move(copy));
    }
    return found->second;
  }

  format::MpiTrace& trace_;
  std::map<CommunicatorKey, std::uint32_t> known_;
};

// "ranks 3, 5 and 8", at most three of them.
std::string SomeRanks(const std::vector<std::uint32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size() && i < 3; ++i) {
    if (i > 0) text += ", ";
    text += fmt::format("{}", ranks[i]);
  }
  if (ranks.size() > 3) text += fmt::format(" and {} more", ranks.size() - 3);
  return text;
}

std::string FileOf(const MpiRank& rank) {
  return fmt::format("rank {} (process {} of {}, run {:016x}, job {:016x})", rank.header.rank,
                     rank.header.process, Printable(rank.header.host), rank.header.run,
                     rank.header.job);
}

Result<void> RequireOneJob(const std::vector<MpiRank>& ranks) {
  const MpiRank& first = ranks.front();
  std::vector<bool> seen(first.header.size);
  for (const MpiRank& rank : ranks) {
    if (rank.header.run != first.header.run || rank.header.job != first.header.job ||
        rank.header.size != first.header.size) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("{} and {} are from different runs; join files of one run only",
                              FileOf(first), FileOf(rank)));
    }
    if (seen[rank.header.rank]) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("there are two files of rank {}", rank.header.rank));
    }
    seen[rank.header.rank] = true;
  }
  return {};
}

}  // namespace

void StateIncompleteRanks(JoinedTrace& joined) {
  std::map<std::string, std::vector<std::uint32_t>> reasons;
  for (std::uint32_t r = 0; r < joined.trace.ranks.size(); ++r) {
    const auto& outcome = joined.trace.ranks[r].outcome;
    if (outcome.complete) continue;
    constexpr std::string_view kPrefix = "incomplete: ";
    std::string reason =
        outcome.reason.substr(outcome.reason.starts_with(kPrefix) ? kPrefix.size() : 0);
    if (outcome.in_progress) {
      const auto& call = *outcome.in_progress;
      reason += fmt::format(", in {}", format::MpiFunctionName(call.function));
      if (call.peer >= 0) reason += fmt::format(" with rank {}", call.peer);
    }
    reasons[reason].push_back(r);
  }
  for (const auto& [reason, ranks] : reasons) {
    joined.caveats.push_back(
        {CaveatId::kIncomplete, fmt::format("{}: {}", SomeRanks(ranks), reason)});
  }
}

std::optional<MpiFile> ParseMpiFileName(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  std::string_view rest = name;
  const auto number = [&rest](std::string_view prefix) -> std::optional<std::uint32_t> {
    if (!rest.starts_with(prefix)) return std::nullopt;
    std::uint32_t value = 0;
    const char* from = rest.data() + prefix.size();
    const char* end = rest.data() + rest.size();
    const auto [next, error] = std::from_chars(from, end, value);
    if (error != std::errc() || next == from) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(next - rest.data()));
    return value;
  };
  MpiFile file{path, 1, 0};
  if (const auto job = number("job-")) {
    file.job = *job;
    if (!rest.starts_with('-')) return std::nullopt;
    rest.remove_prefix(1);
  }
  const auto rank = number("rank-");
  if (!rank || rest != TARE_MPI_FILE_SUFFIX) return std::nullopt;
  file.rank = *rank;
  return file;
}

Result<std::vector<MpiFile>> FindMpiFiles(const std::filesystem::path& directory) {
  std::vector<MpiFile> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (const auto file = ParseMpiFileName(at->path())) files.push_back(*file);
  }
  if (error) return std::unexpected(SystemError("read", directory, error.value()));
  if (files.empty()) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{} holds no MPI trace; tare mpi -o DIRECTORY -- mpirun ... makes one",
                            Printable(directory.string())));
  }
  std::ranges::sort(files, {}, [](const MpiFile& file) { return std::pair(file.job, file.rank); });
  return files;
}

Result<JoinedTrace> JoinMpiRanks(std::vector<MpiRank> ranks) {
  TRY_VOID(RequireOneJob(ranks));
  JoinedTrace joined;
  joined.job = ranks.front().header.job_number;
  const std::uint32_t size = ranks.front().header.size;
  joined.trace.ranks.resize(size);
  for (std::uint32_t r = 0; r < size; ++r) {
    MpiRank& rank = joined.trace.ranks[r];
    rank.header.rank = r;
    rank.header.size = size;
    rank.outcome.reason =
        "incomplete: there is no file; the process may have ended before MPI_Init";
  }
  for (MpiRank& rank : ranks) {
    const std::uint32_t number = rank.header.rank;
    PriceParallelBursts(rank);
    joined.trace.ranks[number] = std::move(rank);
  }
  Communicators communicators(joined.trace);
  for (std::uint32_t r = 0; r < size; ++r) communicators.Add(r);
  StateIncompleteRanks(joined);
  AlignMpiClocks(joined.trace, joined.caveats);
  return joined;
}

Result<JoinedTrace> ReadMpiDirectory(const std::filesystem::path& directory, std::uint32_t job) {
  if (const auto archive = FindOtf2(directory)) {
    if (job != 1) {
      return Fail(ErrorKind::kUsage, fmt::format("{} is an OTF2 archive, which holds one job",
                                                 Printable(directory.string())));
    }
    return ReadOtf2(*archive);
  }
  TRY(const auto files, FindMpiFiles(directory));
  std::vector<MpiRank> ranks;
  std::uint32_t jobs = 0;
  std::uint32_t last = 0;
  for (const MpiFile& file : files) {
    if (file.job != last) ++jobs;
    last = file.job;
    if (file.job != job) continue;
    // A process that died at once leaves an empty file.
    std::error_code error;
    if (std::filesystem::file_size(file.path, error) == 0 && !error) continue;
    TRY(auto rank, format::ReadMpiRank(file.path));
    if (rank.header.rank != file.rank) {
      return Fail(ErrorKind::kFormat, fmt::format("{}: this is the file of rank {}",
                                                  Printable(file.path.string()), rank.header.rank));
    }
    ranks.push_back(std::move(rank));
  }
  if (ranks.empty()) {
    return Fail(ErrorKind::kFormat, fmt::format("{} holds no usable file of job {}",
                                                Printable(directory.string()), job));
  }
  TRY(auto joined, InFile(directory, JoinMpiRanks(std::move(ranks))));
  joined.job = job;
  joined.jobs = jobs;
  return joined;
}

}  // namespace tare::mpi
