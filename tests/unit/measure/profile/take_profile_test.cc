// take_profile_test.cc: programs that are really sampled. Needs a kernel that allows it.
#include "measure/profile/take_profile.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "measure/profile/profile_shares.h"
#include "measure/profile/sampled_registers.h"
#include "measure/profile/stack_unwinder.h"

namespace tare::profile {
namespace {

run::ResolvedProgram Resolved(std::vector<std::string> words) {
  words.front() = std::string(TARE_TEST_PROGRAMS) + "/" + words.front();
  auto program = run::Resolve({std::move(words)});
  EXPECT_TRUE(program) << program.error().message;
  return *program;
}

ProfileRequest RequestOf(std::vector<std::string> words) {
  ProfileRequest request;
  request.program = Resolved(std::move(words));
  request.measure_cost = false;
  request.plan.event = SamplingEvent::kClock;
  return request;
}

bool IsRefused(const Result<ProfileRun>& run) {
  return !run && run.error().kind == ErrorKind::kUnsupported;
}

std::uint64_t SamplesOf(const Shares& shares, std::string_view function) {
  std::uint64_t samples = 0;
  for (const PartShare& row : shares.rows) samples += row.function == function ? row.samples : 0;
  return samples;
}

TEST(TakeProfile, FindsTheSharesOfAKnownProgram) {
  const auto run = TakeProfile(RequestOf({"known_shares", "20000"}));
  if (IsRefused(run)) GTEST_SKIP() << run.error().message;
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->finished->ended.exit_status, 0);
  // A rare miss is allowed: 99.99 %.
  const auto shares = SharesOf(run->profile, Part::kFunction, 0.9999);
  ASSERT_TRUE(shares) << shares.error().message;
  // The kernel has the rest: much on an emulated machine.
  const std::uint64_t known =
      SamplesOf(*shares, "half") + SamplesOf(*shares, "third") + SamplesOf(*shares, "fifth");
  const double part = static_cast<double>(known) / static_cast<double>(shares->samples);
  for (const auto& [function, share] :
       {std::pair("half", 50.0), std::pair("third", 30.0), std::pair("fifth", 20.0)}) {
    const auto row = std::ranges::find(shares->rows, function, &PartShare::function);
    ASSERT_NE(row, shares->rows.end()) << function;
    EXPECT_TRUE(row->share.Contains(share * part)) << function << " " << row->share.Value();
  }
  const auto main = std::ranges::find(shares->rows, "main", &PartShare::function);
  ASSERT_NE(main, shares->rows.end());
  EXPECT_GT(main->inclusive_samples, shares->samples * 3 / 4);
}

TEST(TakeProfile, NamesLinesAndBlocks) {
  const auto run = TakeProfile(RequestOf({"known_shares", "5000"}));
  if (IsRefused(run)) GTEST_SKIP() << run.error().message;
  ASSERT_TRUE(run) << run.error().message;
  const auto lines = SharesOf(run->profile, Part::kLine, 0.95);
  const auto blocks = SharesOf(run->profile, Part::kBlock, 0.95);
  ASSERT_TRUE(lines && blocks);
  EXPECT_TRUE(lines->rows[0].file.ends_with("known_shares.c"));
  EXPECT_GT(blocks->rows[0].instructions, 0);
}

TEST(TakeProfile, FollowsThreadsAndChildren) {
  ProfileRequest request = RequestOf({"known_shares", "10000"});
  request.program = *run::Resolve({{"/bin/sh", "-c",
                                    std::string(TARE_TEST_PROGRAMS) + "/known_shares 5000 & " +
                                        TARE_TEST_PROGRAMS + "/known_shares 5000; wait; exit 7"}});
  const auto run = TakeProfile(request);
  if (IsRefused(run)) GTEST_SKIP() << run.error().message;
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->finished->ended.exit_status, 7);
  std::set<std::uint32_t> processes;
  for (const auto& sample : run->profile.samples) {
    const auto& thread = run->profile.threads[sample.thread];
    if (thread.command == "known_shares") processes.insert(thread.process);
  }
  EXPECT_EQ(processes.size(), 2);
}

// The leaf has no frame: a chain by frame pointer alone leaves its caller out.
TEST(TakeProfile, FindsTheCallersOfALeafWithoutFrame) {
  if (!MakeUnwinder() && !HasLinkRegister()) GTEST_SKIP() << "built without libdw";
  ProfileRequest request = RequestOf({"leaf_callers", "3000"});
  request.plan.frequency = 4000;
  const auto run = TakeProfile(request);
  if (IsRefused(run)) GTEST_SKIP() << run.error().message;
  ASSERT_TRUE(run) << run.error().message;
  // A rare miss is allowed: 99.99 %.
  const auto shares = SharesOf(run->profile, Part::kFunction, 0.9999);
  ASSERT_TRUE(shares) << shares.error().message;
  const auto find = [&](std::string_view function) {
    return std::ranges::find(shares->rows, function, &PartShare::function);
  };
  const auto leaf = find("leaf");
  ASSERT_NE(leaf, shares->rows.end());
  ASSERT_GT(leaf->samples, shares->samples / 2);
  // Every sample of the leaf belongs to a caller, and to main; the callers themselves do nothing.
  const double part = static_cast<double>(leaf->samples) / static_cast<double>(shares->samples);
  for (const auto& [function, share] :
       {std::pair("calls_thrice", 75.0), std::pair("calls_once", 25.0)}) {
    const auto row = find(function);
    ASSERT_NE(row, shares->rows.end()) << function;
    EXPECT_TRUE(row->inclusive_share.Contains(share * part))
        << function << " " << row->inclusive_share.Value() << " of " << 100 * part;
  }
  const auto main = find("main");
  ASSERT_NE(main, shares->rows.end());
  EXPECT_GT(main->inclusive_samples, leaf->samples * 9 / 10);
}

// A function that has called another one from a part of its own under another name: the address in
// the link register is not that of a caller.
TEST(TakeProfile, AddsNoCallerToAFunctionThatHasAFrame) {
  if (!MakeUnwinder()) GTEST_SKIP() << "built without libdw";
  const auto run = TakeProfile(RequestOf({"leaf_callers", "1500"}));
  if (IsRefused(run)) GTEST_SKIP() << run.error().message;
  ASSERT_TRUE(run) << run.error().message;
  const auto shares = SharesOf(run->profile, Part::kFunction, 0.95);
  ASSERT_TRUE(shares);
  EXPECT_GT(SamplesOf(*shares, "framed"), shares->samples / 10);
  const auto part = std::ranges::find(shares->rows, "framed_part", &PartShare::function);
  // It takes less than a thousandth of the time itself.
  EXPECT_TRUE(part == shares->rows.end() || part->inclusive_samples < shares->samples / 20);
}

TEST(TakeProfile, UnwindsByDwarf) {
  if (!MakeUnwinder()) GTEST_SKIP() << "built without libdw";
  ProfileRequest request = RequestOf({"known_shares", "10000"});
  request.plan.chains = Chains::kDwarf;
  const auto run = TakeProfile(request);
  if (IsRefused(run)) GTEST_SKIP() << run.error().message;
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_LT(BrokenChains(run->profile), 10);
  const auto shares = SharesOf(run->profile, Part::kFunction, 0.95);
  ASSERT_TRUE(shares);
  const auto main = std::ranges::find(shares->rows, "main", &PartShare::function);
  ASSERT_NE(main, shares->rows.end());
  EXPECT_GT(main->inclusive_samples, shares->samples * 3 / 4);
}

TEST(TakeProfile, AttachesToARunningProcess) {
  const std::string path = std::string(TARE_TEST_PROGRAMS) + "/known_shares";
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(path.c_str(), "known_shares", "100000000", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::usleep(50'000);
  ProfileRequest request;
  request.process = child;
  request.seconds = 0.5;
  request.measure_cost = false;
  request.plan.event = SamplingEvent::kClock;
  const auto run = TakeProfile(request);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  if (IsRefused(run)) GTEST_SKIP() << run.error().message;
  ASSERT_TRUE(run) << run.error().message;
  const auto shares = SharesOf(run->profile, Part::kFunction, 0.95);
  ASSERT_TRUE(shares);
  EXPECT_GT(SamplesOf(*shares, "half"), shares->samples / 4);
}

TEST(TakeProfile, OfAProcessThatIsNotThereFails) {
  ProfileRequest request;
  request.process = 1 << 30;
  const auto run = TakeProfile(request);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace tare::profile
