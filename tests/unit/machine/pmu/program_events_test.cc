// program_events_test.cc: tests events of processes, with kernels that refuse or multiplex them,
// and with this one.
#include "machine/pmu/program_events.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>

namespace tare::pmu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr pid_t kSomeProcess = 4711;

ProgramEvent Hardware(std::string name, std::uint64_t config) {
  ProgramEvent event;
  event.name = std::move(name);
  event.code.type = PERF_TYPE_HARDWARE;
  event.code.config = config;
  return event;
}

ProgramEvent Software(std::string name, std::uint64_t config) {
  ProgramEvent event;
  event.name = std::move(name);
  event.code.type = PERF_TYPE_SOFTWARE;
  event.code.config = config;
  event.event_class = EventClass::kSoftware;
  return event;
}

ProgramEventPlan ThreeOfTheProcessor() {
  ProgramEventPlan plan;
  plan.events = {Hardware("instructions", PERF_COUNT_HW_INSTRUCTIONS),
                 Hardware("cycles", PERF_COUNT_HW_CPU_CYCLES),
                 Hardware("branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS)};
  return plan;
}

// Returns a descriptor that reads like an event's.
int Holding(const EventCount& count) {
  const int descriptor = ::memfd_create("event", MFD_CLOEXEC);
  const std::array<std::uint64_t, 3> fields = {count.value, count.enabled_ns, count.running_ns};
  EXPECT_EQ(::write(descriptor, fields.data(), sizeof fields), static_cast<ssize_t>(sizeof fields));
  EXPECT_EQ(::lseek(descriptor, 0, SEEK_SET), 0);
  return descriptor;
}

constexpr EventCount kAlone = {.value = 1000, .enabled_ns = 50, .running_ns = 50};
constexpr EventCount kShared = {.value = 1000, .enabled_ns = 80, .running_ns = 20};

std::vector<ProgramCount> Counted(const ProgramEventPlan& plan, const OpenProgramEvent& open,
                                  const Permissions& permissions = {}) {
  const auto events = ProgramEvents::Attach(kSomeProcess, plan, permissions, open);
  if (!events) {
    ADD_FAILURE() << events.error().message;
    return {};
  }
  return events->Read();
}

TEST(ProgramEvents, AreReadOneByOneWhileTheProgramRuns) {
  const auto events =
      ProgramEvents::Attach(kSomeProcess, ThreeOfTheProcessor(), {}, [](const auto& request) {
        if (request.code.config == PERF_COUNT_HW_CPU_CYCLES) return -ENOENT;
        return Holding(request.code.config == PERF_COUNT_HW_INSTRUCTIONS ? kAlone : kShared);
      });
  ASSERT_TRUE(events);
  EXPECT_EQ(events->ReadNow(0), 1000U);
  EXPECT_EQ(events->Absence(0), "");
  EXPECT_EQ(events->ReadNow(1), std::nullopt);
  EXPECT_NE(events->Absence(1), "");
  EXPECT_EQ(events->ReadNow(2), std::nullopt) << "multiplexed without permission";
}

TEST(ProgramEvents, ReturnTheCountersValues) {
  const auto counts = Counted(ThreeOfTheProcessor(), [](const auto&) { return Holding(kAlone); });
  ASSERT_EQ(counts.size(), 3U);
  for (const ProgramCount& count : counts) {
    EXPECT_EQ(count.value, 1000U);
    EXPECT_EQ(count.scaled, std::nullopt);
    EXPECT_FALSE(count.multiplexed);
    EXPECT_EQ(count.absence, "");
    EXPECT_EQ(count.scope, Scope::kTree);
  }
}

TEST(ProgramEvents, TheProcessorsAreOneGroupInUserModeAndTheKernelsAreSeparate) {
  ProgramEventPlan plan = ThreeOfTheProcessor();
  plan.events.push_back(Software("page-faults", PERF_COUNT_SW_PAGE_FAULTS));
  std::vector<ProgramEventRequest> requests;
  std::vector<int> descriptors;
  Counted(plan, [&](const ProgramEventRequest& request) {
    requests.push_back(request);
    descriptors.push_back(Holding(kAlone));
    return descriptors.back();
  });
  ASSERT_EQ(requests.size(), 5U) << "four, and page faults to see that the program ran at all";
  EXPECT_EQ(requests[0].group, -1);
  EXPECT_EQ(requests[1].group, descriptors[0]);
  EXPECT_EQ(requests[2].group, descriptors[0]);
  EXPECT_EQ(requests[3].group, -1);
  EXPECT_FALSE(requests[0].code.kernel);
  EXPECT_TRUE(requests[3].code.kernel);
  EXPECT_EQ(requests[0].process, kSomeProcess);
}

TEST(ProgramEvents, ThatMayBeMultiplexedAreInNoGroup) {
  ProgramEventPlan plan = ThreeOfTheProcessor();
  plan.allow_multiplexing = true;
  Counted(plan, [](const ProgramEventRequest& request) {
    EXPECT_EQ(request.group, -1);
    return Holding(kAlone);
  });
}

TEST(ProgramEvents, SharedCountersWithoutLeaveGiveNoNumber) {
  const auto counts = Counted(ThreeOfTheProcessor(), [](const auto&) { return Holding(kShared); });
  EXPECT_EQ(counts[0].value, std::nullopt);
  EXPECT_TRUE(counts[0].multiplexed);
  EXPECT_EQ(
      counts[0].absence,
      "3 events do not fit on this processor's counters: request fewer, or allow multiplexing");
}

TEST(ProgramEvents, SharedCountersWithLeaveGiveAnEstimateBesideTheCount) {
  ProgramEventPlan plan = ThreeOfTheProcessor();
  plan.allow_multiplexing = true;
  const auto counts = Counted(plan, [](const auto&) { return Holding(kShared); });
  EXPECT_EQ(counts[0].value, 1000U);
  EXPECT_TRUE(counts[0].multiplexed);
  EXPECT_EQ(counts[0].scaled, 4000.0);  // 1000 x 80 / 20
}

TEST(ProgramEvents, OneThatDoesNotFitLeavesTheOthersWhole) {
  int members = 0;
  const auto counts = Counted(ThreeOfTheProcessor(), [&](const ProgramEventRequest& request) {
    if (request.group >= 0 && ++members == 2) return -EINVAL;
    return Holding(kAlone);
  });
  EXPECT_EQ(counts[0].value, 1000U);
  EXPECT_EQ(counts[1].value, 1000U);
  EXPECT_EQ(counts[2].value, std::nullopt);
  EXPECT_THAT(counts[2].absence, HasSubstr("3 events do not fit"));
}

TEST(ProgramEvents, TheNextLeadsWhenTheFirstDoesNotOpen) {
  std::vector<int> groups;
  const auto counts = Counted(ThreeOfTheProcessor(), [&](const ProgramEventRequest& request) {
    groups.push_back(request.group);
    return request.code.config == PERF_COUNT_HW_INSTRUCTIONS ? -ENOENT : Holding(kAlone);
  });
  EXPECT_EQ(groups[1], -1);
  EXPECT_GE(groups[2], 0);
  EXPECT_EQ(counts[0].value, std::nullopt);
  EXPECT_EQ(counts[2].value, 1000U);
}

std::string AbsenceFor(int error_number, const Permissions& permissions = {}) {
  const auto counts =
      Counted(ThreeOfTheProcessor(), [=](const auto&) { return -error_number; }, permissions);
  for (const ProgramCount& count : counts) {
    EXPECT_EQ(count.value, std::nullopt);
    EXPECT_EQ(count.scaled, std::nullopt);
  }
  return counts.empty() ? "" : counts[0].absence;
}

TEST(ProgramEvents, EachRefusalHasItsReasonAndWhatToDo) {
  EXPECT_THAT(AbsenceFor(ENOENT), HasSubstr("count with --engine valgrind"));
  EXPECT_THAT(AbsenceFor(EOPNOTSUPP), HasSubstr("count with --engine valgrind"));
  EXPECT_THAT(AbsenceFor(EMFILE), HasSubstr("ulimit -n"));
  EXPECT_THAT(AbsenceFor(EACCES, {.paranoid = 3, .filtered = false}),
              HasSubstr("perf_event_paranoid=3 does not allow"));
  EXPECT_THAT(AbsenceFor(EACCES, {.paranoid = 2, .filtered = false}),
              HasSubstr("(perf_event_paranoid=2); try sysctl kernel.perf_event_paranoid=1"));
  EXPECT_THAT(AbsenceFor(EPERM, {.paranoid = 1, .filtered = true}),
              HasSubstr("allow perf_event_open in the seccomp profile"));
}

TEST(ProgramEvents, AreRefusedWhenTheProcessIsGone) {
  const auto events = ProgramEvents::Attach(kSomeProcess, ThreeOfTheProcessor(), {},
                                            [](const auto&) { return -ESRCH; });
  ASSERT_FALSE(events);
  EXPECT_THAT(events.error().message, HasSubstr("4711"));
}

TEST(ProgramEvents, FaultsAreCountedInUserModeWhereTheKernelIsForbiddenAndSwitchesAreNot) {
  ProgramEventPlan plan;
  plan.events = {Software("page-faults", PERF_COUNT_SW_PAGE_FAULTS),
                 Software("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES)};
  const auto counts = Counted(plan,
                              [](const ProgramEventRequest& request) {
                                return request.code.kernel ? -EACCES : Holding(kAlone);
                              },
                              {.paranoid = 2, .filtered = false});
  EXPECT_EQ(counts[0].value, 1000U);
  EXPECT_FALSE(counts[0].with_kernel);
  EXPECT_EQ(counts[1].value, std::nullopt) << "user mode alone would read 0";
  EXPECT_THAT(counts[1].absence, HasSubstr("it happens in kernel mode: perf_event_paranoid=2"));
}

TEST(ProgramEvents, AnOldKernelThatCannotDistinguishThreadsFromProcessesCountsTheFirstThread) {
  ProgramEventPlan plan = ThreeOfTheProcessor();
  plan.children = false;
  std::vector<Scope> scopes;
  const auto counts = Counted(plan, [&](const ProgramEventRequest& request) {
    scopes.push_back(request.scope);
    return request.scope == Scope::kProcess ? -EINVAL : Holding(kAlone);
  });
  using enum Scope;
  EXPECT_THAT(scopes,
              ElementsAre(kProcess, kFirstThread, kFirstThread, kFirstThread, kFirstThread));
  EXPECT_EQ(counts[0].scope, kFirstThread);
  EXPECT_EQ(counts[0].value, 1000U);
}

TEST(ProgramEvents, NothingThatNeverRanIsShownAsZero) {
  const auto never_enabled = Counted(ThreeOfTheProcessor(), [](const auto&) {
    return Holding({.value = 0, .enabled_ns = 0, .running_ns = 0});
  });
  EXPECT_EQ(never_enabled[0].value, std::nullopt);
  EXPECT_THAT(never_enabled[0].absence, HasSubstr("counting did not begin"));
  ProgramEventPlan plan = ThreeOfTheProcessor();
  plan.allow_multiplexing = true;
  const auto never_counting = Counted(
      plan, [](const auto&) { return Holding({.value = 0, .enabled_ns = 90, .running_ns = 0}); });
  EXPECT_EQ(never_counting[0].value, std::nullopt);
  EXPECT_THAT(never_counting[0].absence, HasSubstr("never got a counter"));
  const auto unreadable =
      Counted(plan, [](const auto&) { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); });
  EXPECT_EQ(unreadable[0].absence, "the event cannot be read");
}

// A child that waits until it is released and then executes the program.
class WaitingProgram {
 public:
  explicit WaitingProgram(std::vector<std::string> command, bool as_nobody = false) {
    std::array<int, 2> gate{};
    EXPECT_EQ(::pipe2(gate.data(), O_CLOEXEC), 0);
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      char byte = 0;
      ::close(gate[1]);
      if (as_nobody && ::setuid(kNobody) != 0) ::_exit(124);
      if (::read(gate[0], &byte, 1) == 1) ::execv(words[0], words.data());
      ::_exit(125);
    }
    ::close(gate[0]);
    gate_ = gate[1];
  }
  WaitingProgram(const WaitingProgram&) = delete;
  WaitingProgram& operator=(const WaitingProgram&) = delete;
  ~WaitingProgram() {
    if (gate_ >= 0) Finish();
  }

  pid_t Process() const { return process_; }

  int Finish() {
    EXPECT_EQ(::write(gate_, "g", 1), 1);
    ::close(std::exchange(gate_, -1));
    int status = -1;
    EXPECT_EQ(::waitpid(process_, &status, 0), process_);
    return status;
  }

 private:
  static constexpr uid_t kNobody = 65534;

  pid_t process_ = -1;
  int gate_ = -1;
};

ProgramEventPlan OfTheKernel(bool children) {
  ProgramEventPlan plan;
  plan.children = children;
  plan.events = {Software("page-faults", PERF_COUNT_SW_PAGE_FAULTS),
                 Software("task-clock", PERF_COUNT_SW_TASK_CLOCK),
                 Software("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES)};
  return plan;
}

std::vector<ProgramCount> OfAShell(const char* script, bool children) {
  WaitingProgram shell({"/bin/sh", "-c", script});
  const auto events = ProgramEvents::Attach(shell.Process(), OfTheKernel(children), {});
  EXPECT_EQ(shell.Finish(), 0);
  return events ? events->Read() : std::vector<ProgramCount>{};
}

TEST(ProgramEvents, OfARealProcessAreCountedFromItsExecve) {
  const auto counts = OfAShell("exit 0", true);
  ASSERT_EQ(counts.size(), 3U);
  if (!counts[0].value) GTEST_SKIP() << counts[0].absence;
  EXPECT_GT(counts[0].value.value_or(0), 0U);
  ASSERT_TRUE(counts[1].value) << counts[1].absence;
  EXPECT_GT(counts[1].value.value_or(0), 0U);
  EXPECT_GT(counts[1].enabled_ns, 0U);
  EXPECT_EQ(counts[2].value.has_value(), counts[2].absence.empty());
}

TEST(ProgramEvents, ChildrenAreIncludedOnlyOnRequest) {
  // Ten subshells: each is a process that faults on the copy-on-write pages of the first.
  constexpr auto kScript = "for i in 1 2 3 4 5 6 7 8 9 10; do (x=$i; :); done";
  const auto tree = OfAShell(kScript, true);
  const auto process = OfAShell(kScript, false);
  const auto nothing = OfAShell(":", false);
  ASSERT_EQ(tree.size(), 3U);
  if (!tree[0].value || !process[0].value) GTEST_SKIP() << tree[0].absence << process[0].absence;
  EXPECT_EQ(tree[0].scope, Scope::kTree);
  EXPECT_NE(process[0].scope, Scope::kTree);
  ASSERT_TRUE(nothing[0].value);
  EXPECT_GT(tree[0].value.value_or(0), process[0].value.value_or(0) + 20)
      << "two faults a child at least";
  EXPECT_GE(process[0].value.value_or(0), nothing[0].value.value_or(0));
}

// The kernel removes the events of programs whose file the user may not read.
TEST(ProgramEvents, AProgramThatMayNotBeReadHasNoCountsInsteadOfZero) {
  namespace fs = std::filesystem;
  std::string name = (fs::temp_directory_path() / "tare-events-XXXXXX").string();
  const fs::path directory = ::mkdtemp(name.data());
  fs::permissions(directory, fs::perms{0755});
  const fs::path program = directory / "unreadable";
  fs::copy_file("/bin/true", program);
  fs::permissions(program, fs::perms{0111});
  WaitingProgram unreadable({program.string()}, ::getuid() == 0);
  const auto events = ProgramEvents::Attach(unreadable.Process(), OfTheKernel(true), {});
  const int status = unreadable.Finish();
  fs::remove_all(directory);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(events) << events.error().message;
  for (const ProgramCount& count : events->Read()) {
    EXPECT_EQ(count.value, std::nullopt) << count.name;
    EXPECT_NE(count.absence, "");
  }
}

TEST(ProgramEvents, WithoutASinglePageFaultNothingWasCounted) {
  const auto counts = Counted(ThreeOfTheProcessor(), [](const ProgramEventRequest& request) {
    const bool witness = request.code.type == PERF_TYPE_SOFTWARE;
    return Holding({.value = witness ? 0U : 12U, .enabled_ns = 5, .running_ns = 5});
  });
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].value, std::nullopt);
  EXPECT_THAT(counts[0].absence, HasSubstr("set-user-ID"));
}

TEST(ProgramEvents, AProcessThatNeverStartsTheProgramHasNoCounts) {
  std::vector<ProgramCount> counts;
  {
    const pid_t child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    const auto events = ProgramEvents::Attach(child, OfTheKernel(true), {});
    EXPECT_EQ(::kill(child, SIGKILL), 0);
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    ASSERT_TRUE(events);
    counts = events->Read();
  }
  for (const ProgramCount& count : counts) {
    EXPECT_EQ(count.value, std::nullopt);
    EXPECT_NE(count.absence, "");
  }
}

}  // namespace
}  // namespace tare::pmu
