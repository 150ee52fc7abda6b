// mpi_run_test.cc: real mpirun runs, recorded: what the programs do is known to the byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/private_directory.h"
#include "machine/host/engine_files.h"
#include "machine/host/installed_program.h"
#include "measure/mpi/mpi_join.h"
#include "measure/mpi/mpi_matching.h"
#include "measure/mpi/mpi_record.h"
#include "measure/mpi/mpi_summary.h"
#include "measure/mpi/openmp_places.h"
#include "measure/mpi/openmp_summary.h"

namespace tare::mpi {
namespace {

using testing::HasSubstr;

// The test program is in tests/ of the build directory, the engines beside that.
const host::EngineFiles& Engines() {
  static const host::EngineFiles files =
      host::FindEngineFiles(std::filesystem::path(TARE_BINARY_DIR) / "tare", {});
  return files;
}

struct Recorded {
  run::Finished finished;
  Result<JoinedTrace> joined = Fail(ErrorKind::kIo, "not run");
};

class MpiRun : public testing::TestWithParam<MpiKind> {
 protected:
  void SetUp() override {
    const auto& library =
        GetParam() == MpiKind::kOpenMpi ? Engines().openmpi_library : Engines().mpich_library;
    if (!library) GTEST_SKIP() << "built without " << Name(GetParam());
    if (!host::FindProgram(Launcher(), host::SearchPath())) GTEST_SKIP() << "no " << Launcher();
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    library_ = *library;
  }

  static std::string Launcher() {
    return GetParam() == MpiKind::kOpenMpi ? "mpirun.openmpi" : "mpirun.mpich";
  }

  // `program` is the name without the kind; `suffix` replaces the kind if it is not empty.
  Recorded Run(int ranks, const std::string& program,
               const std::vector<std::string>& arguments = {}, const std::string& suffix = "") {
    std::vector<std::string> words = {Launcher()};
    if (GetParam() == MpiKind::kOpenMpi) words.insert(words.end(), {"--oversubscribe"});
    words.insert(words.end(), {"-n", std::to_string(ranks)});
    words.push_back(std::string(TARE_TEST_PROGRAMS) + "/" + program + "_" +
                    (suffix.empty() ? std::string(Name(GetParam())) : suffix));
    words.insert(words.end(), arguments.begin(), arguments.end());
    return RunWords(words);
  }

  Recorded RunWords(const std::vector<std::string>& words) {
    Recorded recorded;
    auto directory = PrivateDirectory::MakeOnDisk();
    EXPECT_TRUE(directory);
    auto resolved = run::Resolve({words});
    EXPECT_TRUE(resolved);
    RecordRequest request;
    request.program = *resolved;
    request.kind = GetParam();
    request.library = library_;
    request.directory = directory->path();
    request.run = 1;
    request.setting.output = run::Output::kCaptured;
    request.setting.errors = run::Output::kCaptured;
    request.setting.timeout_seconds = 600;
    auto finished = RecordMpi(request);
    EXPECT_TRUE(finished);
    recorded.finished = *finished;
    recorded.joined = ReadMpiDirectory(directory->path());
    return recorded;
  }

  std::filesystem::path library_;
};

INSTANTIATE_TEST_SUITE_P(Libraries, MpiRun, testing::Values(MpiKind::kOpenMpi, MpiKind::kMpich),
                         [](const auto& info) { return std::string(Name(info.param)); });

TEST_P(MpiRun, EveryCallOfTwoAndFourRanksMatches) {
  for (const int ranks : {2, 4}) {
    if (GetParam() == MpiKind::kMpich && ranks > 2) continue;  // minutes on two cores
    const Recorded recorded = Run(ranks, "mpi_calls");
    EXPECT_EQ(recorded.finished.ended.ShellStatus(), 0) << recorded.finished.errors;
    EXPECT_EQ(recorded.finished.output, std::to_string(ranks) + " ranks\n");
    ASSERT_TRUE(recorded.joined) << recorded.joined.error().message;
    EXPECT_TRUE(recorded.joined->caveats.empty());
    const Matching matching = MatchMpiTrace(recorded.joined->trace);
    EXPECT_TRUE(matching.problems.empty()) << matching.problems.front();
    // 16 messages of 405 bytes per rank, counted in mpi_calls.c.
    EXPECT_EQ(matching.messages.size(), static_cast<std::size_t>(16 * ranks));
    EXPECT_EQ(matching.message_bytes, static_cast<std::uint64_t>(405 * ranks));
    EXPECT_EQ(matching.unmatched_collectives, 0u);
    for (const RankSummary& rank : SummariseMpi(recorded.joined->trace).ranks) {
      EXPECT_EQ(rank.messages, 16u);
      EXPECT_EQ(rank.message_bytes, 405u);
    }
  }
}

TEST_P(MpiRun, TheExitStatusIsThatOfTheProgram) {
  EXPECT_EQ(Run(2, "mpi_calls", {"7"}).finished.ended.ShellStatus(), 7);
}

TEST_P(MpiRun, AKilledRankLeavesAUsableFile) {
  const Recorded recorded = Run(2, "mpi_endings", {"kill"});
  EXPECT_NE(recorded.finished.ended.ShellStatus(), 0);
  ASSERT_TRUE(recorded.joined) << recorded.joined.error().message;
  const auto& ranks = recorded.joined->trace.ranks;
  ASSERT_EQ(ranks[1].events.size(), 2u);  // MPI_Init, MPI_Barrier
  EXPECT_FALSE(ranks[1].outcome.complete);
  EXPECT_THAT(ranks[1].outcome.reason, HasSubstr("killed"));
  ASSERT_TRUE(ranks[0].outcome.in_progress);
  EXPECT_EQ(ranks[0].outcome.in_progress->function, TARE_MPI_F_Recv);
  EXPECT_EQ(ranks[0].outcome.in_progress->peer, 1);
}

TEST_P(MpiRun, AnAbortIsNamed) {
  const Recorded recorded = Run(2, "mpi_endings", {"abort"});
  EXPECT_EQ(recorded.finished.ended.ShellStatus(), 5);
  ASSERT_TRUE(recorded.joined) << recorded.joined.error().message;
  EXPECT_EQ(recorded.joined->trace.ranks[1].outcome.reason,
            "incomplete: the process called MPI_Abort");
}

TEST_P(MpiRun, AMessageWithoutReceiveIsFound) {
  const Recorded recorded = Run(2, "mpi_endings", {"unreceived"});
  ASSERT_TRUE(recorded.joined) << recorded.joined.error().message;
  const Matching matching = MatchMpiTrace(recorded.joined->trace);
  EXPECT_EQ(matching.unmatched_sends, 1u);
  EXPECT_THAT(matching.problems,
              testing::ElementsAre("1 message from rank 1 to rank 0 (tag 7) has no receive"));
}

TEST_P(MpiRun, FortranIsRecordedLikeC) {
  if (GetParam() != MpiKind::kOpenMpi) GTEST_SKIP() << "the programs are built with Open MPI";
  for (const char* module : {"mpi", "f08"}) {
    const std::string program = std::string(TARE_TEST_PROGRAMS) + "/mpi_fortran_" + module;
    if (!std::filesystem::exists(program)) GTEST_SKIP() << "no gfortran";
    const Recorded recorded = Run(2, "mpi_fortran", {}, module);
    ASSERT_TRUE(recorded.joined) << recorded.joined.error().message;
    const Matching matching = MatchMpiTrace(recorded.joined->trace);
    // Five messages of 80 bytes per rank, and one of 16 bytes.
    EXPECT_EQ(matching.messages.size(), 11u) << module;
    EXPECT_EQ(matching.message_bytes, 816u) << module;
    EXPECT_TRUE(matching.problems.empty()) << module;
    EXPECT_EQ(matching.unmatched_collectives, 0u);
  }
}

bool HasOpenMpProgram(const std::string& suffix) {
  return std::filesystem::exists(std::string(TARE_TEST_PROGRAMS) + "/" + suffix);
}

std::uint64_t WaitsOf(const OpenMpSummary& summary, WaitKind kind) {
  const auto found = std::ranges::find(summary.waits, kind, &WaitTotals::kind);
  return found == summary.waits.end() ? 0 : found->waits;
}

// What mpi_openmp.c does: five regions of three threads with a barrier, a loop and their end, and
// one of two threads with a single and its end. Work is CPU time, 18 ms and 8 ms at least.
void ExpectKnownRegions(const OpenMpSummary& summary, std::uint64_t ranks) {
  ASSERT_EQ(summary.ranks.size(), ranks);
  for (const RankOpenMp& rank : summary.ranks) {
    EXPECT_EQ(rank.runtime, TARE_MPI_OPENMP_OMPT);
    EXPECT_EQ(rank.totals.regions, 6u);
    EXPECT_EQ(rank.totals.barriers, 17u);
    EXPECT_EQ(rank.totals.threads, 3u);
    EXPECT_GT(rank.totals.work_seconds, 0.097);
    EXPECT_GT(rank.totals.waiting_seconds, 0);
  }
  EXPECT_EQ(WaitsOf(summary, WaitKind::kExplicit), 15 * ranks);
  EXPECT_EQ(WaitsOf(summary, WaitKind::kImplicit), 17 * ranks);
  EXPECT_EQ(WaitsOf(summary, WaitKind::kRegionEnd), 17 * ranks);
  EXPECT_EQ(WaitsOf(summary, WaitKind::kTaskwait), 1 * ranks);
  ASSERT_EQ(summary.places.size(), 2u);
  PlaceNames names;
  const auto unbalanced = std::ranges::find_if(summary.places, [&](const PlaceOpenMp& place) {
    return names.NameOf(place).starts_with("unbalanced_region (mpi_openmp.c:");
  });
  ASSERT_NE(unbalanced, summary.places.end()) << names.NameOf(summary.places.front());
  EXPECT_EQ(unbalanced->totals.regions, 5 * ranks);
  EXPECT_EQ(unbalanced->totals.barriers, 15 * ranks);
  EXPECT_NEAR(unbalanced->totals.Imbalance(), 2, 0.7);
}

TEST_P(MpiRun, OpenMpRegionsAndBarriersAreExact) {
  if (!HasOpenMpProgram("mpi_openmp_" + std::string(Name(GetParam())))) {
    GTEST_SKIP() << "no clang or libomp";
  }
  const Recorded recorded = Run(2, "mpi_openmp");
  EXPECT_EQ(recorded.finished.ended.ShellStatus(), 0) << recorded.finished.errors;
  ASSERT_TRUE(recorded.joined) << recorded.joined.error().message;
  EXPECT_TRUE(recorded.joined->caveats.empty());
  ExpectKnownRegions(SummariseOpenMp(recorded.joined->trace), 2);
  for (const auto& rank : recorded.joined->trace.ranks) {
    ASSERT_EQ(rank.events.size(), 3u);  // MPI_Init, MPI_Barrier, MPI_Finalize
    // The slowest threads work for 60 ms and 4 ms or more; the first one for 15 ms.
    EXPECT_GT(rank.events[1].burst_path_ns, 63'000'000u);
    EXPECT_LT(rank.events[1].burst_path_ns, 400'000'000u);
    EXPECT_EQ(rank.events[2].burst_path_ns, 0u);
  }
}

TEST_P(MpiRun, AProcessWithOpenMpAndWithoutMpiIsRecorded) {
  if (!HasOpenMpProgram("openmp_alone")) GTEST_SKIP() << "no clang or libomp";
  const Recorded recorded = RunWords({std::string(TARE_TEST_PROGRAMS) + "/openmp_alone"});
  ASSERT_TRUE(recorded.joined) << recorded.joined.error().message;
  const auto& rank = recorded.joined->trace.ranks.front();
  EXPECT_TRUE(rank.header.is_without_mpi);
  EXPECT_TRUE(rank.outcome.complete) << rank.outcome.reason;
  EXPECT_TRUE(rank.events.empty());
  ExpectKnownRegions(SummariseOpenMp(recorded.joined->trace), 1);
  // All regions are within the time of the process.
  EXPECT_GT(SummariseMpi(recorded.joined->trace).seconds, 0.064);
  EXPECT_GE(SummariseMpi(recorded.joined->trace).seconds,
            SummariseOpenMp(recorded.joined->trace).all.seconds);
}

TEST_P(MpiRun, AKilledRankKeepsTheRegionsThatWereWritten) {
  if (!HasOpenMpProgram("mpi_openmp_" + std::string(Name(GetParam())))) {
    GTEST_SKIP() << "no clang or libomp";
  }
  const Recorded recorded = Run(1, "mpi_openmp", {"kill"});
  ASSERT_TRUE(recorded.joined) << recorded.joined.error().message;
  const auto& rank = recorded.joined->trace.ranks.front();
  EXPECT_THAT(rank.outcome.reason, HasSubstr("killed"));
  // The last region, right before the signal, may be missing.
  EXPECT_GE(SummariseOpenMp(recorded.joined->trace).all.regions, 6u);
}

TEST_P(MpiRun, LibgompIsNamedAsTheReasonForNoRegions) {
  if (GetParam() != MpiKind::kOpenMpi) GTEST_SKIP() << "the program is built with Open MPI";
  if (!HasOpenMpProgram("mpi_openmp_gcc")) GTEST_SKIP() << "no gcc";
  const Recorded recorded = Run(2, "mpi_openmp", {}, "gcc");
  ASSERT_TRUE(recorded.joined) << recorded.joined.error().message;
  EXPECT_TRUE(recorded.joined->caveats.empty());
  for (const RankOpenMp& rank : SummariseOpenMp(recorded.joined->trace).ranks) {
    EXPECT_EQ(OpenMpAbsence(rank.runtime), "built with GCC's libgomp, which has no OMPT");
    EXPECT_EQ(rank.totals, OpenMpTotals());
  }
}

}  // namespace
}  // namespace tare::mpi
