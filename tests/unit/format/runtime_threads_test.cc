// runtime_threads_test.cc: tests threads, signals, descriptors and libraries of a counting program.
#include <gmock/gmock.h>

#include "counted_run.h"

namespace tare::format {
namespace {

class RuntimeThreads : public CountedRun {};
class RuntimeSignals : public CountedRun {};
class RuntimeLibraries : public CountedRun {};
class RuntimeEnvironment : public CountedRun {};
class RuntimeFunctions : public CountedRun {};

TEST_F(RuntimeThreads, FiveHundredAtOnceHaveABankEach) {
  ASSERT_EQ(Observed({"threads", "at-once", "500", "1000"}).status, 0);
  const auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Value(files[0], "calls"), 500000u);
  EXPECT_EQ(files[0].Header().banks_used, 500u);
  EXPECT_EQ(files[0].Header().lost_threads, 0u);
  const auto& metrics = files[0].Metrics();
  EXPECT_EQ(ValueOfSlot(metrics[2], Value(files[0], "largest")), 504);
  EXPECT_EQ(ValueOfSlot(metrics[3], Value(files[0], "least")), 5);
}

TEST_F(RuntimeThreads, FiveThousandInSequenceUseTheBanksOfTheDead) {
  ASSERT_EQ(Observed({"threads", "in-sequence", "5000", "100"}).status, 0);
  const auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Value(files[0], "calls"), 500000u);
  EXPECT_LE(files[0].Header().banks_used, 80u);
  EXPECT_EQ(ValueOfSlot(files[0].Metrics()[2], Value(files[0], "largest")), 5004);
}

TEST_F(RuntimeThreads, MoreThanTheBanksAreCountedAsLost) {
  const auto little_memory = [] {
    rlimit wanted{};
    getrlimit(RLIMIT_DATA, &wanted);
    wanted.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_DATA, &wanted);
  };
  ASSERT_EQ(Observed({"threads", "at-once", "300", "10"}, little_memory).status, 0);
  const auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  const tare_counters_header header = files[0].Header();
  EXPECT_LT(header.banks, 300u);
  EXPECT_EQ(header.lost_threads, 300 - header.banks);
  EXPECT_EQ(Value(files[0], "calls"), 10 * header.banks);
}

TEST_F(RuntimeThreads, ThatAreTheFirstUseOfTheRuntimeMakeOneFile) {
  for (int i = 0; i < 20; ++i) {
    const Ended ended = Observed({"threads", "early", "3", "100"});
    ASSERT_EQ(ended.status, 0);
    const auto files = Files();
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(Value(files[0], "calls"), 8u * 100u + 300u);
    EXPECT_EQ(files[0].Header().lost_threads, 0u);
    std::filesystem::remove_all(RunDirectory());
    std::filesystem::create_directory(RunDirectory());
  }
}

TEST_F(RuntimeSignals, HandlersCountSeparatelyFromTheirThreads) {
  const Ended ended = Observed({"signals", "storm", "200"});
  ASSERT_EQ(ended.status, 0);
  const auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Value(files[0], "calls"), 400000u);
  EXPECT_EQ(Value(files[0], "others"), std::stoull(ended.output));
  EXPECT_GE(Value(files[0], "others"), 200u);
}

TEST_F(RuntimeLibraries, LoadedAgainAndAgainGoOnInOneFile) {
  ASSERT_EQ(Observed({"loading", Program("library.so"), "300"}).status, 0);
  std::vector<std::uint64_t> library_calls;
  for (const CounterFile& file : Files()) {
    const tare_counters_header header = file.Header();
    if (header.is_library == 0) {
      EXPECT_EQ(Value(file, "calls"), header.parent_process == 0 ? 300u : 0u);
      continue;
    }
    EXPECT_EQ(file.ModulePath(), Program("library.so"));
    EXPECT_EQ(header.state, TARE_COUNTERS_ENDED);
    library_calls.push_back(Value(file, "library calls"));
  }
  EXPECT_THAT(library_calls, testing::UnorderedElementsAre(300u * 13u, 13u));
}

TEST_F(RuntimeLibraries, UnobservedLeaveNothing) {
  EXPECT_EQ(Run({"loading", Program("library.so"), "200"}, std::nullopt).status, 0);
}

// The library's destructors run while threads still execute it.
TEST_F(RuntimeLibraries, MayBeInUseWhenTheProgramEnds) {
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(Observed({"linked"}).status, 0);
    ASSERT_EQ(Run({"linked"}, std::nullopt).status, 0);
  }
  const auto files = Files();
  EXPECT_EQ(files.size(), 30u);
  for (const CounterFile& file : files) EXPECT_EQ(file.Header().is_library, 1u);
}

TEST_F(RuntimeEnvironment, ErrnoIsNotTouched) {
  EXPECT_EQ(Observed({"environment", "errno"}).status, 0);
  EXPECT_EQ(Run({"environment", "errno"}, std::nullopt).status, 0);
  EXPECT_EQ(Run({"environment", "errno"}, directory_ / "nowhere").status, 0);
}

TEST_F(RuntimeEnvironment, NoDescriptorStaysOpen) {
  const Ended ended = Observed({"environment", "descriptors"});
  EXPECT_EQ(ended, Run({"environment", "descriptors"}, std::nullopt));
  EXPECT_EQ(Files().size(), 1u);
}

TEST_F(RuntimeEnvironment, AProgramThatClosesAllDescriptorsContinuesCounting) {
  EXPECT_EQ(Observed({"environment", "close-all", directory_ / "own"}).status, 0);
  EXPECT_EQ(ReadFile(directory_ / "own", 100).value_or(""), "own file");
  const auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(Value(files[0], "calls"), 11u);
}

TEST_F(RuntimeEnvironment, AChildWithoutAFileIsReportedByItsParent) {
  EXPECT_EQ(Observed({"environment", "no-files-for-children"}).status, 0);
  const auto files = Files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].Header().lost_children, 1u);
  EXPECT_EQ(Value(files[0], "calls"), 8u);
  EXPECT_EQ(files[0].Header().state, TARE_COUNTERS_ENDED);
}

TEST_F(RuntimeFunctions, OfGccAreCountedByTheirAddressInTheFile) {
  if (!std::filesystem::exists(Program("functions"))) GTEST_SKIP() << "gcc is not installed";
  const Ended ended = Observed({"functions"});
  ASSERT_EQ(ended.status, 0);
  std::size_t space = 0;
  const std::uint64_t leaf = std::stoull(ended.output, &space);
  const std::uint64_t branch = std::stoull(ended.output.substr(space));
  const auto files = Files();
  ASSERT_EQ(files.size(), 2u);
  for (const CounterFile& file : files) {
    std::map<std::uint64_t, std::uint64_t> calls;
    for (const HookedFunction& function : file.HookedFunctions()) {
      calls[function.address] = file.ReadSlot(function.slot, SlotKind::kCount);
    }
    const bool child = file.Header().parent_process != 0;
    EXPECT_EQ(calls[leaf], child ? 2u : 8003u);
    EXPECT_EQ(calls[branch], child ? 1u : 4000u);
    EXPECT_EQ(calls.size(), child ? 2u : 5u);
    EXPECT_EQ(file.Header().functions_lost, 0u);
  }
}

}  // namespace
}  // namespace tare::format
