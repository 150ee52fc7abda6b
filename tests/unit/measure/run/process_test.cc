// process_test.cc: tests each control as the program itself observes it.
#include "measure/run/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <new>

#include "machine/host/affinity.h"
#include "test_programs.h"

namespace tare::run {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Environment, HasExactlyTheRequestedSize) {
  Setting setting = Captured();
  setting.environment.from = Environment::From::kEmpty;
  for (const std::size_t bytes : {10U, 100U, 101U, 4096U, 65536U}) {
    setting.environment.bytes = bytes;
    const auto finished = RunIt("environment", setting);
    EXPECT_EQ(Value(finished.output, "environment bytes"), std::to_string(bytes));
    EXPECT_EQ(Value(finished.output, "environment entries"), "1");
  }
}

TEST(Environment, IsInheritedByDefaultAndSorted) {
  ::setenv("TARE_TEST_Z", "z", 1);
  ::setenv("TARE_TEST_A", "a", 1);
  const auto finished = RunIt("environment");
  ::unsetenv("TARE_TEST_Z");
  ::unsetenv("TARE_TEST_A");
  const auto variables = Values(finished.output, "variable");
  EXPECT_THAT(variables, Contains("TARE_TEST_Z=z"));
  EXPECT_LT(std::ranges::find(variables, "TARE_TEST_A=a"),
            std::ranges::find(variables, "TARE_TEST_Z=z"));
}

TEST(Name, HasExactlyTheRequestedLength) {
  Setting setting = Captured();
  for (const std::size_t bytes : {256U, 257U, 2000U}) {
    setting.argv0_length = bytes;
    const auto finished = RunIt("environment", setting);
    EXPECT_EQ(Value(finished.output, "name bytes"), std::to_string(bytes));
    EXPECT_EQ(Value(finished.output, "path"), Value(finished.output, "name"));
  }
  setting.argv0_length = 3;
  const auto failed = RunProgram(TestProgram("environment"), setting);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kUsage);
}

TEST(Name, StaysAsGivenOtherwise) {
  auto program = TestProgram("environment");
  program.arguments.front() = "another-name";
  const auto finished = RunProgram(program, Captured());
  ASSERT_TRUE(finished);
  EXPECT_EQ(Value(finished->output, "name"), "another-name");
}

TEST(Directory, HasAPathOfExactlyTheRequestedLengthAndLeavesNothing) {
  const TemporaryDirectory temporary;
  const TemporaryDirectory target;
  const char* const before = ::getenv("TMPDIR");
  const std::string saved = before != nullptr ? before : "";
  ::setenv("TMPDIR", temporary.Path().c_str(), 1);
  Setting setting = Captured();
  setting.directory = target.Path();
  // Around NAME_MAX, where another directory is needed, and around PATH_MAX.
  const std::size_t root = temporary.Path().size() + 12;
  for (const std::size_t bytes :
       {root + 2, root + 255, root + 256, root + 257, root + 258, root + 513, std::size_t{4095}}) {
    setting.cwd_length = bytes;
    const auto finished = RunIt("environment", setting);
    EXPECT_EQ(Value(finished.output, "PWD bytes"), std::to_string(bytes));
    const std::string directory = Value(finished.output, "directory");
    if (finished.caveats.empty()) {
      EXPECT_EQ(directory.size(), bytes);
    } else {
      EXPECT_EQ(directory, target.Path());
    }
  }
  EXPECT_TRUE(temporary.IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(target.Path()));
  for (const std::size_t bytes : {root + 1, std::size_t{4096}}) {
    setting.cwd_length = bytes;
    EXPECT_FALSE(RunProgram(TestProgram("environment"), setting)) << bytes;
  }
  EXPECT_TRUE(temporary.IsEmpty());
  saved.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", saved.c_str(), 1);
}

// Makes unshare() fail with EPERM here and in all children, as containers do.
bool ForbidNamespaces() {
  struct sock_filter rules[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_unshare},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const struct sock_fprog program{.len = 4, .filter = rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(Directory, WhereTheKernelAllowsNoMountIsALinkAndNoProcessIdCanBeChosen) {
  constexpr int kNoFilters = 77;
  const TemporaryDirectory target;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!ForbidNamespaces()) ::_exit(kNoFilters);
    Setting setting = Captured();
    setting.directory = target.Path();
    setting.cwd_length = 300;
    const auto linked = RunProgram(TestProgram("environment"), setting);
    if (!linked || linked->caveats.empty()) ::_exit(1);
    if (Value(linked->output, "PWD bytes") != "300") ::_exit(2);
    if (Value(linked->output, "directory") != target.Path()) ::_exit(3);
    if (CanLengthenDirectory() || CanChooseProcessId()) ::_exit(4);
    setting.process_id = 77;
    const auto numbered = RunProgram(TestProgram("environment"), setting);
    ::_exit(!numbered && numbered.error().kind == ErrorKind::kUnsupported ? 0 : 5);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == kNoFilters) GTEST_SKIP() << "no system call filters here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Directory, UnderItsLongPathIsTheSameDirectory) {
  if (const auto can = CanLengthenDirectory(); !can) GTEST_SKIP() << can.error().message;
  const TemporaryDirectory target;
  target.Write("there", "text");
  const auto shell = Resolve({{"/bin/sh", "-c", "cat there; echo new > made; pwd -P"}});
  ASSERT_TRUE(shell);
  Setting setting = Captured();
  setting.directory = target.Path();
  setting.cwd_length = 400;
  const auto finished = RunProgram(*shell, setting);
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->caveats.empty());
  EXPECT_EQ(finished->output.size(), 4U + 400 + 1);
  EXPECT_EQ(target.Read("made"), "new\n");
}

TEST(HugePages, AreSwitchedOffAndRequested) {
  Setting setting = Captured();
  ASSERT_TRUE(ChooseHugePages(false, setting));
  EXPECT_EQ(Value(RunIt("where", setting).output, "huge pages off"), "1");
  EXPECT_EQ(Value(RunIt("where").output, "huge pages off"), "0");
  if (const auto can = ChooseHugePages(true, setting); !can) GTEST_SKIP() << can.error().message;
  ASSERT_TRUE(ChooseHugePages(true, setting));
  const auto requested = RunIt("where", setting);
  EXPECT_EQ(Value(requested.output, "huge pages off"), "0");
  EXPECT_EQ(Value(requested.output, "tunables"), "glibc.malloc.hugetlb=1");
  ASSERT_TRUE(ChooseHugePages(false, setting));
  EXPECT_EQ(Value(RunIt("where", setting).output, "tunables"), "");
}

TEST(Directory, HasTheSameLongPathInEveryRun) {
  const TemporaryDirectory temporary;
  const char* const before = ::getenv("TMPDIR");
  const std::string saved = before != nullptr ? before : "";
  ::setenv("TMPDIR", temporary.Path().c_str(), 1);
  Setting setting = Captured();
  setting.cwd_length = 200;
  const auto first = RunIt("where", setting);
  const auto second = RunIt("where", setting);
  saved.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", saved.c_str(), 1);
  EXPECT_EQ(Value(first.output, "PWD").size(), 200U);
  EXPECT_EQ(Value(first.output, "PWD"), Value(second.output, "PWD"));
}

TEST(Directory, MustExist) {
  Setting setting = Captured();
  setting.directory = "/nonexistent";
  EXPECT_FALSE(RunProgram(TestProgram("environment"), setting));
}

TEST(Addresses, AreTheSameEachTimeWhenNotRandom) {
  const auto first = RunIt("environment");
  for (const Caveat& caveat : first.caveats) {
    if (caveat.key == CaveatId::kRandomAddresses) GTEST_SKIP() << caveat.detail;
  }
  EXPECT_EQ(Value(first.output, "random addresses"), "no");
  EXPECT_EQ(Value(first.output, "stack"), Value(RunIt("environment").output, "stack"));
}

TEST(Addresses, DifferWhenRandom) {
  int level = -1;
  std::ifstream("/proc/sys/kernel/randomize_va_space") >> level;
  if (level == 0) GTEST_SKIP() << "this kernel randomizes nothing";
  Setting setting = Captured();
  setting.randomize_addresses = true;
  const auto first = RunIt("environment", setting);
  EXPECT_EQ(Value(first.output, "random addresses"), "yes");
  bool differs = false;
  for (int i = 0; i < 5 && !differs; ++i) {
    differs = Value(RunIt("environment", setting).output, "stack") != Value(first.output, "stack");
  }
  EXPECT_TRUE(differs);
}

// Makes personality() fail with EPERM here and in all children, as containers do.
bool ForbidPersonality() {
  struct sock_filter rules[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_personality},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const struct sock_fprog program{.len = 4, .filter = rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(Addresses, WhenTheKernelRefusesTheRunContinuesWithACaveat) {
  constexpr int kNoFilters = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!ForbidPersonality()) ::_exit(kNoFilters);
    const auto off = RunProgram(TestProgram("endings exit 3"), Captured());
    Setting random = Captured();
    random.randomize_addresses = true;
    const auto on = RunProgram(TestProgram("endings exit 3"), random);
    const bool right = off && off->ended.exit_status == 3 && off->caveats.size() == 1 &&
                       off->caveats.front().key == CaveatId::kRandomAddresses && on &&
                       on->caveats.empty();
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == kNoFilters) GTEST_SKIP() << "no system call filters here";
  EXPECT_EQ(status, 0);
}

TEST(Core, IsTheOnlyOne) {
  const auto allowed = host::AllowedProcessors();
  ASSERT_TRUE(allowed);
  Setting setting = Captured();
  setting.core = allowed->back();
  const auto finished = RunIt("environment", setting);
  EXPECT_EQ(Value(finished.output, "cores"), "1");
  EXPECT_EQ(Value(finished.output, "core"), std::to_string(allowed->back()));
  EXPECT_EQ(host::AllowedProcessors()->size(), allowed->size());
  setting.core = 100000;
  EXPECT_FALSE(RunProgram(TestProgram("environment"), setting));
}

TEST(Streams, AreCapturedByteForByte) {
  const auto both = RunIt("descriptors both");
  EXPECT_EQ(both.output, "out\n");
  EXPECT_EQ(both.errors, "err\n");
  const auto flood = RunIt("descriptors flood 10000001");
  ASSERT_EQ(flood.output.size(), 10000001U);
  EXPECT_EQ(flood.output.substr(0, 27), "abcdefghijklmnopqrstuvwxyza");
  EXPECT_EQ(flood.output.back(), 'a' + 10000000 % 26);
}

TEST(Streams, InputComesFromAFile) {
  const TemporaryDirectory directory;
  const std::string bytes("zero \0 byte\n", 12);
  Setting setting = Captured();
  setting.input = {Input::From::kFile, directory.Write("input", bytes)};
  EXPECT_EQ(RunIt("descriptors echo", setting).output, bytes);
  setting.input.file = directory.Path("missing");
  EXPECT_FALSE(RunProgram(TestProgram("descriptors echo"), setting));
  setting.input.from = Input::From::kNothing;
  EXPECT_EQ(RunIt("descriptors echo", setting).output, "");
}

// Lists the descriptors without close-on-exec that the test itself has inherited; the program
// inherits them, too.
std::string InheritedAboveStandard() {
  std::string list;
  for (int number = 3; number < 65536; ++number) {
    const int flags = ::fcntl(number, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) list += std::to_string(number) + "\n";
  }
  return list;
}

TEST(Streams, AreAllThatTheProgramHasOpen) {
  EXPECT_EQ(RunIt("descriptors list").output, "0\n1\n2\n" + InheritedAboveStandard());
  const int given = ::dup(STDERR_FILENO);
  EXPECT_THAT(RunIt("descriptors list").output, HasSubstr("\n" + std::to_string(given) + "\n"));
  ::close(given);
}

TEST(Streams, CanBeDiscardedAndClosed) {
  Setting setting = Captured();
  setting.errors = Output::kClosed;
  EXPECT_THAT(RunIt("descriptors list", setting).output, testing::StartsWith("0\n1\n"));
  EXPECT_EQ(RunIt("descriptors both", setting).ended.exit_status, 1);
  setting.errors = Output::kDiscarded;
  const auto finished = RunIt("descriptors both", setting);
  EXPECT_EQ(finished.ended.exit_status, 0);
  EXPECT_EQ(finished.errors, "");
}

TEST(Streams, OursStayOutOfTheWayWhenTheStandardOnesAreClosed) {
  const std::string inherited = InheritedAboveStandard();
  const pid_t child = ::fork();
  if (child == 0) {
    for (int number = 0; number < 3; ++number) ::close(number);
    Setting setting;
    setting.output = Output::kCaptured;
    const auto finished = RunProgram(TestProgram("descriptors list"), setting);
    ::_exit(finished && finished->output == "1\n" + inherited && ::fcntl(0, F_GETFD) < 0 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Signals, MaskAndIgnoredOnesAreInherited) {
  sigset_t one;
  sigset_t before;
  ::sigemptyset(&one);
  ::sigaddset(&one, SIGUSR1);
  ::pthread_sigmask(SIG_SETMASK, &one, &before);
  struct sigaction ignore{};
  struct sigaction on_hangup{};
  struct sigaction on_child{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGHUP, &ignore, &on_hangup);
  ::sigaction(SIGCHLD, &ignore, &on_child);
  const auto finished = RunIt("environment");
  const auto end = RunIt("endings exit 9");
  struct sigaction after{};
  ::sigaction(SIGCHLD, &on_child, &after);
  ::sigaction(SIGHUP, &on_hangup, nullptr);
  sigset_t mask_after;
  ::pthread_sigmask(SIG_SETMASK, &before, &mask_after);

  EXPECT_THAT(Values(finished.output, "blocked"), ElementsAre(std::to_string(SIGUSR1)));
  EXPECT_THAT(Values(finished.output, "ignored"), Contains(std::to_string(SIGHUP)));
  EXPECT_THAT(Values(finished.output, "ignored"), Contains(std::to_string(SIGCHLD)));
  // Its status arrives although SIGCHLD is ignored here.
  EXPECT_EQ(end.ended.exit_status, 9);
  EXPECT_EQ(after.sa_handler, SIG_IGN);
  EXPECT_EQ(::sigismember(&mask_after, SIGUSR1), 1);
  EXPECT_EQ(::sigismember(&mask_after, SIGINT), 0);
}

TEST(Signals, HandlersOfOursAreNotTheProgramsAndItHasItsOwnGroup) {
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = [](int) {};
  ::sigaction(SIGTERM, &action, &before);
  const auto finished = RunIt("environment");
  ::sigaction(SIGTERM, &before, nullptr);
  EXPECT_THAT(Values(finished.output, "blocked"), IsEmpty());
  EXPECT_EQ(Value(finished.output, "own group"), "yes");
}

TEST(Use, IsThatOfTheProgram) {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  if (pages * ::sysconf(_SC_PAGESIZE) > 50'000'000) {
    GTEST_SKIP() << "the test itself takes too much memory";
  }
  // Four million frames need at least 64 MB, which is few faults with huge pages.
  Setting setting = Captured();
  setting.huge_pages = false;
  const auto finished = RunIt("control_flow recursion 4000000", setting);
  ASSERT_EQ(finished.ended.exit_status, 0);
  ASSERT_TRUE(finished.use.max_resident_bytes);
  EXPECT_GT(*finished.use.max_resident_bytes, 60'000'000U);
  EXPECT_GT(finished.use.minor_faults, 1000U);
  EXPECT_GT(finished.use.user_seconds + finished.use.system_seconds, 0);
  EXPECT_GE(finished.wall_seconds, 0);
}

TEST(Use, OfATinyProgramDoesNotShowOurOwnMemory) {
  const std::vector<char> ours(50'000'000, 'x');
  const auto finished = RunIt("count_loops");
  EXPECT_EQ(finished.use.max_resident_bytes, std::nullopt) << ours.size();
  EXPECT_LT(finished.use.minor_faults, 1000U);
}

TEST(Use, WallTimeCoversTheProgram) {
  EXPECT_GE(RunIt("threads main-leaves 0").wall_seconds, 0.02);
}

TEST(BeforeExec, SeesAProcessThatIsNotYetTheProgram) {
  std::string executable;
  Hooks hooks;
  hooks.before_exec = [&](pid_t program) -> Result<void> {
    executable = std::filesystem::read_symlink("/proc/" + std::to_string(program) + "/exe");
    return {};
  };
  EXPECT_EQ(RunIt("endings exit 5", Captured(), hooks).ended.exit_status, 5);
  EXPECT_EQ(executable, std::filesystem::read_symlink("/proc/self/exe"));
}

TEST(BeforeExec, CanForbidTheRun) {
  const TemporaryDirectory directory;
  const auto before = Leftovers::Now();
  Hooks hooks;
  hooks.before_exec = [](pid_t) -> Result<void> { return Fail(ErrorKind::kIo, "no"); };
  const auto finished =
      RunProgram(TestProgram("descriptors close-all " + directory.Path("made")), Captured(), hooks);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().message, "no");
  EXPECT_FALSE(std::filesystem::exists(directory.Path("made")));
  EXPECT_EQ(Leftovers::Now(), before);
}

// Continues the program at every stop and counts the stops at execve.
int StepOver(pid_t program, const std::function<void()>& release, std::atomic<int>& executions) {
  const bool seized = ::ptrace(PTRACE_SEIZE, program, 0, PTRACE_O_TRACEEXEC) == 0;
  if (!seized) executions = -1;
  release();
  int status = 0;
  while (::waitpid(program, &status, __WALL) == program && WIFSTOPPED(status)) {
    const bool executed = status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8);
    if (executed) ++executions;
    ::ptrace(PTRACE_CONT, program, 0, executed ? 0 : WSTOPSIG(status));
  }
  return status;
}

TEST(Supervise, TracesFromTheFirstInstruction) {
  void* const memory = ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const executions = new (memory) std::atomic<int>(0);
  Hooks hooks;
  hooks.supervise = [=](pid_t program, const std::function<void()>& release) {
    return StepOver(program, release, *executions);
  };
  const auto finished = RunIt("children chain 4", Captured(), hooks);
  const int seen = *executions;
  ::munmap(memory, sizeof(std::atomic<int>));
  if (seen < 0) GTEST_SKIP() << "ptrace is not permitted here";
  EXPECT_EQ(seen, 5);
  EXPECT_EQ(finished.ended.how, Ended::How::kExited);
  EXPECT_EQ(finished.ended.exit_status, 0);
  EXPECT_GT(finished.wall_seconds, 0);
}

TEST(RunProgram, LeavesNothingAndRestoresTheReaper) {
  int reaper = -1;
  ::prctl(PR_GET_CHILD_SUBREAPER, &reaper);
  const auto before = Leftovers::Now();
  for (int i = 0; i < 20; ++i) RunIt("descriptors both");
  EXPECT_EQ(Leftovers::Now(), before);
  int reaper_after = -1;
  ::prctl(PR_GET_CHILD_SUBREAPER, &reaper_after);
  EXPECT_EQ(reaper_after, reaper);
}

TEST(RunProgram, AFileThatIsRemovedWhileItRunsDoesNoHarm) {
  const TemporaryDirectory directory;
  std::filesystem::copy_file(ProgramPath("endings"), directory.Path("copy"));
  const auto program = Resolve({{directory.Path("copy"), "unlink-self", directory.Path("copy")}});
  ASSERT_TRUE(program);
  const auto finished = RunProgram(*program, Captured());
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->ended.exit_status, 0);
  // The program's file is removed now.
  const auto again = RunProgram(*program, Captured());
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("No such file"));
}

}  // namespace
}  // namespace tare::run
