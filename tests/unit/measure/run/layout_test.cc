// layout_test.cc: tests that moved programs report their new addresses and are otherwise
// unaffected.
#include "measure/run/layout.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

#include "measure/run/process.h"
#include "test_programs.h"

namespace tare::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kHugePage = 2 << 20;

Setting Moved(const Layout& layout) {
  Setting setting = Captured();
  setting.layout = layout;
  return setting;
}

std::int64_t Address(const Finished& finished, std::string_view name) {
  return static_cast<std::int64_t>(
      std::strtoull(Value(finished.output, name).c_str(), nullptr, 16));
}

class MovedProgram : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const auto can = CanMoveLayout(); !can) GTEST_SKIP() << can.error().message;
    const auto first = RunIt(GetParam());
    for (const Caveat& caveat : first.caveats) {
      if (caveat.key == CaveatId::kRandomAddresses) GTEST_SKIP() << caveat.detail;
    }
  }
  // Returns the offset from the default address; it must be the same each time.
  std::int64_t MoveOf(std::string_view name, const Layout& layout) {
    const std::int64_t rest = Address(RunIt(GetParam()), name);
    const std::int64_t first = Address(RunIt(GetParam(), Moved(layout)), name);
    EXPECT_NE(rest, 0);
    EXPECT_EQ(Address(RunIt(GetParam(), Moved(layout)), name), first);
    return first - rest;
  }
};

TEST_P(MovedProgram, HasItsStackExactlySoMuchLower) {
  for (const std::uint64_t bytes : {16U, 48U, 4096U, 65520U, 131072U, 262160U, 1048576U}) {
    const Layout layout{.stack_bytes = bytes};
    EXPECT_EQ(MoveOf("stack", layout), -static_cast<std::int64_t>(bytes));
    EXPECT_EQ(MoveOf("small block", layout), 0);
    EXPECT_EQ(MoveOf("mapping", layout), 0);
    EXPECT_EQ(MoveOf("program", layout), 0);
  }
}

TEST_P(MovedProgram, HasItsHeapExactlySoMuchHigher) {
  for (const std::uint64_t bytes : {16U, 4000U, 4096U, 1000000U, 64U << 20}) {
    const Layout layout{.heap_bytes = bytes};
    EXPECT_EQ(MoveOf("small block", layout), static_cast<std::int64_t>(bytes));
    EXPECT_EQ(MoveOf("stack", layout), 0);
    EXPECT_EQ(MoveOf("mapping", layout), 0);
  }
}

// Kernels align large mappings to huge pages, loaders align libraries to 64 KiB.
TEST_P(MovedProgram, HasItsMappingsExactlySoMuchLower) {
  for (const std::uint64_t bytes : {kHugePage, 6 * kHugePage, 512 * kHugePage}) {
    const Layout layout{.mapping_bytes = bytes};
    for (const char* name : {"mapping", "large block"}) {
      EXPECT_EQ(MoveOf(name, layout), -static_cast<std::int64_t>(bytes)) << name;
    }
    EXPECT_EQ(MoveOf("stack", layout), 0);
    EXPECT_EQ(MoveOf("small block", layout), 0);
  }
}

TEST_P(MovedProgram, CanHaveAllThree) {
  const Layout layout{.stack_bytes = 4112, .heap_bytes = 8208, .mapping_bytes = 4 * kHugePage};
  EXPECT_EQ(MoveOf("stack", layout), -4112);
  EXPECT_EQ(MoveOf("small block", layout), 8208);
  EXPECT_EQ(MoveOf("mapping", layout), -static_cast<std::int64_t>(4 * kHugePage));
}

INSTANTIATE_TEST_SUITE_P(Linked, MovedProgram,
                         testing::Values("where", "where_static", "where_fixed"),
                         [](const auto& instance) { return std::string(instance.param); });

class MovedEnding : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const auto can = CanMoveLayout(); !can) GTEST_SKIP() << can.error().message;
  }
};

TEST_P(MovedEnding, IsAsWithoutUs) {
  const Layout layout{.stack_bytes = 8192, .heap_bytes = 4096, .mapping_bytes = kHugePage};
  ExpectAsWithoutUs(GetParam(), Moved(layout));
}

INSTANTIATE_TEST_SUITE_P(
    All, MovedEnding,
    testing::Values("endings exit 7", "endings abort", "endings null", "endings kill-group",
                    "endings signal 15", "children short 50", "children vfork", "children chain 10",
                    "children orphans 20", "threads many 50", "limits seccomp", "limits setuid",
                    "limits little-space", "signals storm 20", "signals ignore",
                    "control_flow recursion 100000", "control_flow contexts 100", "count_loops",
                    "memory_walk", "system_calls"),
    [](const auto& instance) {
      std::string name = instance.param;
      std::ranges::replace_if(name, [](char c) { return c == ' ' || c == '-'; }, '_');
      return name;
    });

class MovedRun : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto can = CanMoveLayout(); !can) GTEST_SKIP() << can.error().message;
  }
};

TEST_F(MovedRun, ThatIsOnlyStoppedIsNotMoved) {
  const auto stopped = RunIt("where", Moved({.stop_at_start = true}));
  const auto rest = RunIt("where");
  for (const char* name : {"stack", "small block", "mapping", "library", "program"}) {
    EXPECT_EQ(Value(stopped.output, name), Value(rest.output, name)) << name;
  }
}

TEST_F(MovedRun, SeesItsArgumentsEnvironmentAndSignals) {
  Setting setting = Moved({.stack_bytes = 4096, .heap_bytes = 16, .mapping_bytes = kHugePage});
  setting.environment.set = {{"TARE_TEST", std::string(100000, 'x')}};
  setting.environment.bytes = 200000;
  const auto moved = RunIt("environment one two three", setting);
  setting.layout = {};
  const auto rest = RunIt("environment one two three", setting);
  for (const char* name : {"name", "path", "argument", "variable", "blocked", "ignored",
                           "environment bytes", "own group", "random addresses"}) {
    EXPECT_TRUE(Values(moved.output, name) == Values(rest.output, name)) << name;
  }
  EXPECT_THAT(Values(moved.output, "argument"), ElementsAre("one", "two", "three"));
}

TEST_F(MovedRun, CanStopItselfAndGoOn) {
  const auto shell =
      Resolve({{"/bin/sh", "-c",
                "(while kill -CONT $$; do sleep 0.1; done) 2>&- & kill -STOP $$; exit 5"}});
  ASSERT_TRUE(shell);
  const auto finished = RunProgram(*shell, Moved({.stack_bytes = 16}));
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(finished->ended.exit_status, 5);
}

TEST_F(MovedRun, GetsSignalsThatArrivedWhileItWasStopped) {
  Hooks hooks;
  // Blocked until execve and then unblocked, so that it arrives at the program's first instruction.
  hooks.before_exec = [](pid_t program) -> Result<void> {
    ::kill(program, SIGUSR1);
    return {};
  };
  for (int i = 0; i < 20; ++i) {
    const auto finished = RunIt("endings exit 1", Moved({.heap_bytes = 16}), hooks);
    EXPECT_EQ(finished.ended.how, Ended::How::kSignalled);
    EXPECT_EQ(finished.ended.signal, SIGUSR1);
  }
}

TEST_F(MovedRun, EndsAtItsTimeout) {
  Setting setting = Moved({.stack_bytes = 16});
  setting.timeout_seconds = 0.2;
  const auto finished = RunIt("endings hang", setting);
  EXPECT_EQ(finished.ended.how, Ended::How::kTimedOut);
  EXPECT_EQ(finished.ended.signal, SIGTERM);
}

TEST_F(MovedRun, WithoutAFileIsRefusedAsAlways) {
  auto program = TestProgram("endings exit 0");
  program.path = "/nonexistent";
  const auto finished = RunProgram(program, Moved({.stack_bytes = 16}));
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().kind, ErrorKind::kCannotExecute);
}

TEST_F(MovedRun, WithoutRoomIsRefused) {
  const auto before = Leftovers::Now();
  const rlimit small{.rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY};
  rlimit saved{};
  ::getrlimit(RLIMIT_STACK, &saved);
  ::setrlimit(RLIMIT_STACK, &small);
  const auto finished = RunProgram(TestProgram("where"), Moved({.stack_bytes = kMaxStackOffset}));
  ::setrlimit(RLIMIT_STACK, &saved);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(finished.error().message, HasSubstr("no room"));
  EXPECT_EQ(Leftovers::Now(), before);
}

TEST_F(MovedRun, KeepsRandomizedAddresses) {
  Setting setting = Moved({.stack_bytes = 64, .heap_bytes = 64, .mapping_bytes = kHugePage});
  setting.randomize_addresses = true;
  EXPECT_EQ(RunIt("where", setting).ended.exit_status, 0);
}

TEST_F(MovedRun, AFatalSignalInTheWayLeavesNothing) {
  const auto before = Leftovers::Now();
  Hooks hooks;
  hooks.in_program = [] { ::kill(::getpid(), SIGKILL); };
  const auto finished = RunIt("where", Moved({.stack_bytes = 64}), hooks);
  EXPECT_EQ(finished.ended.signal, SIGKILL);
  EXPECT_EQ(Leftovers::Now(), before);
}

// Makes ptrace() fail with EPERM here and in all children, as containers do.
bool ForbidTracing() {
  struct sock_filter rules[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_ptrace},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const struct sock_fprog program{.len = 4, .filter = rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(MovedRun, WithoutPtraceIsRefused) {
  constexpr int kNoFilters = 77;
  const TemporaryDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!ForbidTracing()) ::_exit(kNoFilters);
    const auto can = CanMoveLayout();
    const auto finished = RunProgram(TestProgram("descriptors close-all " + directory.Path("made")),
                                     Moved({.heap_bytes = 16}));
    const bool right = !can && !finished && finished.error().kind == ErrorKind::kUnsupported &&
                       finished.error().message.find("ptrace") != std::string::npos &&
                       !Leftovers::Now().has_children;
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == kNoFilters) GTEST_SKIP() << "no system call filters here";
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists(directory.Path("made")));
}

TEST(RequireSound, RefusesWhatNothingCouldMeet) {
  const auto kind = [](const Layout& layout) {
    const auto sound = RequireSound(Moved(layout));
    return sound ? ErrorKind::kIo : sound.error().kind;
  };
  EXPECT_EQ(kind({.stack_bytes = 8}), ErrorKind::kUsage);
  EXPECT_EQ(kind({.stack_bytes = kMaxStackOffset + 16}), ErrorKind::kUsage);
  EXPECT_EQ(kind({.heap_bytes = 15}), ErrorKind::kUsage);
  EXPECT_EQ(kind({.heap_bytes = kMaxMemoryOffset + 16}), ErrorKind::kUsage);
  EXPECT_EQ(kind({.mapping_bytes = 1024}), ErrorKind::kUsage);
  EXPECT_TRUE(RequireSound(Moved({.stack_bytes = kMaxStackOffset, .heap_bytes = 16})));
  Setting setting;
  for (const pid_t wrong : {-1, 0, 1, 1 << 22}) {
    setting.process_id = wrong;
    EXPECT_FALSE(RequireSound(setting)) << wrong;
    EXPECT_FALSE(RunProgram(TestProgram("where"), setting)) << wrong;
  }
}

}  // namespace
}  // namespace tare::run
