// take_profile_test.cc: programs that are really sampled. Needs a kernel that allows it.
#include "measure/profile/take_profile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <set>

#include "measure/profile/profile_shares.h"
#include "measure/profile/sampled_registers.h"
#include "measure/profile/stack_unwinder.h"
#include "stats/interval.h"

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

// What is wrong with a profile, or nothing.
using Complaint = std::optional<std::string>;

// Samples are a matter of chance, and of what else the machine does: one good run of three is
// enough. A defect is there in each.
void ExpectOfOneRunInThree(const std::function<Result<ProfileRun>()>& take,
                           const std::function<Complaint(const ProfileRun&)>& complain) {
  std::string complaints;
  for (int i = 0; i < 3; ++i) {
    const auto run = take();
    if (IsRefused(run)) GTEST_SKIP() << run.error().message;
    ASSERT_TRUE(run) << run.error().message;
    const Complaint complaint = complain(*run);
    if (!complaint) return;
    complaints += *complaint + "\n";
  }
  ADD_FAILURE() << complaints;
}

void ExpectOfOneRunInThree(const ProfileRequest& request,
                           const std::function<Complaint(const ProfileRun&)>& complain) {
  ExpectOfOneRunInThree([&] { return TakeProfile(request); }, complain);
}

// Of the samples in `function` itself, or in what it calls too.
std::uint64_t InclusiveSamplesOf(const Shares& shares, std::string_view function) {
  const auto row = std::ranges::find(shares.rows, function, &PartShare::function);
  return row == shares.rows.end() ? 0 : row->inclusive_samples;
}

// Complains if `samples` of `all` are too far from `share` for chance.
Complaint IsNot(double share, std::uint64_t samples, std::uint64_t all, std::string_view what) {
  const auto found = stats::ProportionInterval(samples, all, 0.99999);
  if (!found) return found.error().message;
  if (found->Contains(share)) return std::nullopt;
  return fmt::format("{}: {} of {} samples, not {}", what, samples, all, share);
}

TEST(TakeProfile, FindsTheSharesOfAKnownProgram) {
  ExpectOfOneRunInThree(RequestOf({"known_shares", "20000"}), [](const ProfileRun& run) {
    EXPECT_EQ(run.finished->ended.exit_status, 0);
    const auto shares = SharesOf(run.profile, Part::kFunction, 0.95);
    if (!shares) return Complaint(shares.error().message);
    // The kernel has the rest: much on an emulated machine.
    const std::uint64_t known =
        SamplesOf(*shares, "half") + SamplesOf(*shares, "third") + SamplesOf(*shares, "fifth");
    for (const auto& [function, share] :
         {std::pair("half", 0.5), std::pair("third", 0.3), std::pair("fifth", 0.2)}) {
      const Complaint complaint = IsNot(share, SamplesOf(*shares, function), known, function);
      if (complaint) return complaint;
    }
    const std::uint64_t of_main = InclusiveSamplesOf(*shares, "main");
    if (of_main * 4 > shares->samples * 3) return Complaint();
    return Complaint(fmt::format("main: {} of {} samples", of_main, shares->samples));
  });
}

// Whether `beginning` is how `all` begins.
bool Begins(const auto& beginning, const auto& all) {
  return beginning.size() <= all.size() &&
         std::equal(beginning.begin(), beginning.end(), all.begin());
}

TEST(TakeProfile, HandsOnWhatItHasSoFar) {
  format::SampledProfile parts;
  std::vector<format::ProfileSample> samples;
  ProfileRequest request = RequestOf({"known_shares", "60000"});
  request.checkpoint = [&](format::SampledProfile& profile) {
    std::ranges::move(profile.samples, std::back_inserter(samples));
    profile.samples.clear();
    parts = profile;
  };
  const auto take = [&] {
    samples.clear();
    parts = {};
    return TakeProfile(request);
  };
  ExpectOfOneRunInThree(take, [&](const ProfileRun& run) {
    if (samples.empty()) return Complaint("it ended before a part was due");
    EXPECT_TRUE(Begins(samples, run.profile.samples));
    EXPECT_TRUE(Begins(parts.stacks, run.profile.stacks));
    EXPECT_TRUE(Begins(parts.locations, run.profile.locations));
    EXPECT_TRUE(Begins(parts.functions, run.profile.functions));
    EXPECT_TRUE(Begins(parts.files, run.profile.files));
    EXPECT_TRUE(Begins(parts.mappings, run.profile.mappings));
    EXPECT_EQ(parts.facts.program, run.profile.facts.program);
    return Complaint();
  });
}

TEST(TakeProfile, NamesLinesAndBlocks) {
  ExpectOfOneRunInThree(RequestOf({"known_shares", "5000"}), [](const ProfileRun& run) {
    const auto lines = SharesOf(run.profile, Part::kLine, 0.95);
    const auto blocks = SharesOf(run.profile, Part::kBlock, 0.95);
    if (!lines || !blocks) return Complaint("no samples");
    // The first row may be the kernel's.
    if (std::ranges::none_of(lines->rows, [](const PartShare& row) {
          return row.file.ends_with("known_shares.c") && row.line > 0;
        })) {
      return Complaint("no line of known_shares.c");
    }
    const auto block = std::ranges::find(blocks->rows, "half", &PartShare::function);
    if (block == blocks->rows.end() || block->instructions == 0) {
      return Complaint("no block of half");
    }
    return Complaint();
  });
}

TEST(TakeProfile, FollowsThreadsAndChildren) {
  ProfileRequest request = RequestOf({"known_shares", "10000"});
  request.program = *run::Resolve({{"/bin/sh", "-c",
                                    std::string(TARE_TEST_PROGRAMS) + "/known_shares 5000 & " +
                                        TARE_TEST_PROGRAMS + "/known_shares 5000; wait; exit 7"}});
  ExpectOfOneRunInThree(request, [](const ProfileRun& run) {
    EXPECT_EQ(run.finished->ended.exit_status, 7);
    std::set<std::uint32_t> processes;
    for (const auto& sample : run.profile.samples) {
      const auto& thread = run.profile.threads[sample.thread];
      if (thread.command == "known_shares") processes.insert(thread.process);
    }
    if (processes.size() == 2) return Complaint();
    return Complaint(fmt::format("{} processes", processes.size()));
  });
}

// The leaf has no frame: a chain by frame pointer alone leaves its caller out.
TEST(TakeProfile, FindsTheCallersOfALeafWithoutFrame) {
  if (!MakeUnwinder() && !HasLinkRegister()) GTEST_SKIP() << "built without libdw";
  ProfileRequest request = RequestOf({"leaf_callers", "3000"});
  request.plan.frequency = 4000;
  ExpectOfOneRunInThree(request, [](const ProfileRun& run) {
    const auto shares = SharesOf(run.profile, Part::kFunction, 0.95);
    if (!shares) return Complaint(shares.error().message);
    const std::uint64_t leaf = SamplesOf(*shares, "leaf");
    if (leaf < shares->samples / 2) {
      return Complaint(fmt::format("leaf: {} of {} samples", leaf, shares->samples));
    }
    // Every sample of the leaf belongs to a caller, and to main; the callers themselves do nothing.
    for (const auto& [function, share] :
         {std::pair("calls_thrice", 0.75), std::pair("calls_once", 0.25)}) {
      const Complaint complaint =
          IsNot(share, std::min(InclusiveSamplesOf(*shares, function), leaf), leaf, function);
      if (complaint) return complaint;
    }
    const std::uint64_t of_main = InclusiveSamplesOf(*shares, "main");
    if (of_main * 10 > leaf * 9) return Complaint();
    return Complaint(fmt::format("main: {} of the leaf's {} samples", of_main, leaf));
  });
}

// A function that has called another one from a part of its own under another name: the address in
// the link register is not that of a caller.
TEST(TakeProfile, AddsNoCallerToAFunctionThatHasAFrame) {
  if (!MakeUnwinder()) GTEST_SKIP() << "built without libdw";
  ExpectOfOneRunInThree(RequestOf({"leaf_callers", "1500"}), [](const ProfileRun& run) {
    const auto shares = SharesOf(run.profile, Part::kFunction, 0.95);
    if (!shares) return Complaint(shares.error().message);
    const std::uint64_t framed = SamplesOf(*shares, "framed");
    // It takes less than a thousandth of the time itself.
    const std::uint64_t part = InclusiveSamplesOf(*shares, "framed_part");
    if (framed > shares->samples / 10 && part < shares->samples / 20) return Complaint();
    return Complaint(
        fmt::format("framed: {}, framed_part: {} of {} samples", framed, part, shares->samples));
  });
}

TEST(TakeProfile, UnwindsByDwarf) {
  if (!MakeUnwinder()) GTEST_SKIP() << "built without libdw";
  ProfileRequest request = RequestOf({"known_shares", "10000"});
  request.plan.chains = Chains::kDwarf;
  ExpectOfOneRunInThree(request, [](const ProfileRun& run) {
    const auto shares = SharesOf(run.profile, Part::kFunction, 0.95);
    if (!shares) return Complaint(shares.error().message);
    const double broken = BrokenChains(run.profile);
    const std::uint64_t of_main = InclusiveSamplesOf(*shares, "main");
    if (broken < 10 && of_main * 4 > shares->samples * 3) return Complaint();
    return Complaint(
        fmt::format("{} broken chains, main: {} of {} samples", broken, of_main, shares->samples));
  });
}

TEST(TakeProfile, AttachesToARunningProcess) {
  const auto attach = [] {
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
    auto run = TakeProfile(request);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return run;
  };
  ExpectOfOneRunInThree(attach, [](const ProfileRun& run) {
    const auto shares = SharesOf(run.profile, Part::kFunction, 0.95);
    if (!shares) return Complaint(shares.error().message);
    const std::uint64_t half = SamplesOf(*shares, "half");
    if (half > shares->samples / 4) return Complaint();
    return Complaint(fmt::format("half: {} of {} samples", half, shares->samples));
  });
}

TEST(TakeProfile, OfTheSystemNamesProcessesThatEndMeanwhile) {
  const auto take = []() -> Result<ProfileRun> {
    std::array<int, 2> named{};
    if (::pipe(named.data()) != 0) return Fail(ErrorKind::kIo, "pipe");
    const auto before = ::signal(SIGCHLD, SIG_IGN);  // nobody has to wait for the child
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_NAME, "ends-meanwhile");
      static_cast<void>(!::write(named[1], "n", 1));
      for (volatile unsigned turns = 0;;) turns = turns + 1;
    }
    char byte = 0;
    static_cast<void>(!::read(named[0], &byte, 1));
    ProfileRequest request;
    request.system = true;
    request.measure_cost = false;
    request.plan.event = SamplingEvent::kClock;
    int looks = 0;
    request.interrupted = [&] {
      if (++looks == 10) ::kill(child, SIGKILL);
      return looks > 10 && ::kill(child, 0) != 0;
    };
    auto run = TakeProfile(request);
    ::kill(child, SIGKILL);
    ::signal(SIGCHLD, before);
    for (const int end : named) ::close(end);
    return run;
  };
  ExpectOfOneRunInThree(take, [](const ProfileRun& run) -> Complaint {
    std::size_t of_child = 0;
    std::size_t nameless = 0;
    for (const format::ProfileSample& sample : run.profile.samples) {
      const std::string& command = run.profile.threads[sample.thread].command;
      if (command == "ends-meanwhile") ++of_child;
      if (command.empty()) ++nameless;
    }
    if (of_child > 10) return std::nullopt;
    return fmt::format("{} samples of the child, {} without a name", of_child, nameless);
  });
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
