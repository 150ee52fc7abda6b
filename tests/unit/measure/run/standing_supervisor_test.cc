// standing_supervisor_test.cc: runs that share a supervisor are like those that have their own.
#include "measure/run/standing_supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "machine/host/affinity.h"
#include "measure/run/process.h"
#include "test_programs.h"

namespace tare::run {
namespace {

using testing::HasSubstr;
using testing::Not;

class Standing : public testing::Test {
 protected:
  Result<Finished> Try(const std::vector<std::string>& words, const Setting& setting = Captured()) {
    const auto program = Resolve({words});
    EXPECT_TRUE(program) << words.front();
    Hooks hooks;
    hooks.standing = &supervisor_;
    return RunProgram(*program, setting, hooks);
  }
  Finished Run(const std::string& script, const Setting& setting = Captured()) {
    const auto finished = Try({"/bin/sh", "-c", script}, setting);
    EXPECT_TRUE(finished) << script << ": " << (finished ? "" : finished.error().message);
    return finished ? *finished : Finished{};
  }
  std::string Parent() { return Run("echo $PPID").output; }

  StandingSupervisor supervisor_;
};

TEST_F(Standing, IsTheParentOfAllRuns) {
  const std::string parent = Parent();
  EXPECT_EQ(Parent(), parent);
  EXPECT_NE(parent, std::to_string(::getpid()) + "\n");
  EXPECT_NE(RunIt("environment").output, "");  // a run with its own
  EXPECT_EQ(Parent(), parent);
}

TEST_F(Standing, EndsWithItsObject) {
  const auto before = Leftovers::Now();
  {
    StandingSupervisor supervisor;
    Hooks hooks;
    hooks.standing = &supervisor;
    EXPECT_EQ(RunIt("endings exit 3", Captured(), hooks).ended.exit_status, 3);
    EXPECT_TRUE(Leftovers::Now().has_children);
  }
  EXPECT_EQ(Leftovers::Now(), before);
}

TEST_F(Standing, GivesTheProgramWhatItHasWithoutIt) {
  const std::string script =
      "grep -E '^(Sig(Pnd|Blk|Ign|Cgt)|Shd|Cpus_allowed:|Umask|NoNewPrivs|Seccomp:)' "
      "/proc/self/status; ls -l "
      "/proc/self/fd | sed 's/.*: //' | grep -c .; pwd; env | sort; ulimit -a; cat";
  Setting setting = Captured();
  const TemporaryDirectory directory;
  setting.input = {Input::From::kFile, directory.Write("input", "read\n")};
  const auto shell = Resolve({{"/bin/sh", "-c", script}});
  ASSERT_TRUE(shell);
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  struct sigaction before{};
  for (const bool ignores : {false, true, false}) {
    setting.layout.stop_at_start = !setting.layout.stop_at_start;
    if (ignores) ::sigaction(SIGUSR2, &ignore, &before);
    const auto own = RunProgram(*shell, setting);
    ASSERT_TRUE(own);
    EXPECT_THAT(own->output, HasSubstr("read\n"));
    EXPECT_EQ(Run(script, setting).output, own->output);
    EXPECT_EQ(Run(script, setting).output, own->output);
    if (ignores) ::sigaction(SIGUSR2, &before, nullptr);
  }
}

class StandingHostile : public testing::TestWithParam<const char*> {};

TEST_P(StandingHostile, EndsAndPrintsAsItDoesWithoutUs) {
  StandingSupervisor supervisor;
  Hooks hooks;
  hooks.standing = &supervisor;
  for (const bool moved : {false, true}) {
    Setting setting = Captured();
    setting.layout.stop_at_start = moved;
    const PlainEnd plain = RunPlainly(GetParam());
    for (int i = 0; i < 2; ++i) {
      const auto finished = RunIt(GetParam(), setting, hooks);
      EXPECT_EQ(WaitStatus(finished.ended), plain.status);
      EXPECT_EQ(finished.output, plain.output);
      EXPECT_EQ(finished.caveats.size(), 0U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, StandingHostile,
                         testing::Values("endings abort", "endings kill-group",
                                         "children short 200", "children vfork",
                                         "children orphans 20", "threads main-leaves 6",
                                         "limits no-files", "limits chroot", "limits setuid",
                                         "limits seccomp", "signals ignore", "signals job-control"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == ' ' || c == '-'; }, '_');
                           return name;
                         });

TEST_F(Standing, IsReplacedIfTheProgramKillsIt) {
  const std::string parent = Parent();
  const auto finished = Run("kill -9 $PPID; sleep 0.1; exit 5");
  EXPECT_EQ(finished.ended.exit_status, 5);
  EXPECT_EQ(finished.caveats.size(), 1U);
  EXPECT_NE(Parent(), parent);
}

TEST_F(Standing, IsReplacedIfItIsKilledBetweenRuns) {
  const std::string parent = Parent();
  ::kill(std::stoi(parent), SIGKILL);
  EXPECT_TRUE(EndsSoon(std::stoi(parent)));
  const std::string other = Parent();
  EXPECT_NE(other, parent);
  EXPECT_NE(other, "");
}

TEST_F(Standing, StaysWhenTheThreadEndsThatStartedItOrItsSignalComes) {
  Setting setting = Captured();
  setting.ends_with_this_process = true;
  std::string parent;
  std::thread([&] { parent = Run("echo $PPID", setting).output; }).join();
  EXPECT_EQ(Run("echo $PPID", setting).output, parent);
  const std::string signal = std::to_string(SIGRTMAX);
  EXPECT_EQ(Run("kill -" + signal + " $PPID; sleep 0.05; exit 5", setting).ended.exit_status, 5);
  EXPECT_EQ(Run("echo $PPID", setting).output, parent);
}

TEST_F(Standing, LeavesOrphansAsTheyWouldBeWithoutUs) {
  const std::string parent = Parent();
  const auto finished = Run("sleep 30 >/dev/null 2>&1 & echo $!");
  const pid_t orphan = std::stoi(finished.output);
  std::ifstream file("/proc/" + std::to_string(orphan) + "/status");
  const std::string status{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(status, HasSubstr("PPid:\t"));
  EXPECT_THAT(status, Not(HasSubstr("PPid:\t" + parent)));
  EXPECT_THAT(status, Not(HasSubstr("PPid:\t" + std::to_string(::getpid()) + "\n")));
  EXPECT_NE(Parent(), parent);
  ::kill(orphan, SIGKILL);
}

TEST_F(Standing, OutlivesWhatCannotBeExecuted) {
  const TemporaryDirectory directory;
  const std::string script = directory.Write("script", "#!/no/such/interpreter\n", 0755);
  const auto failed = Try({script});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("/no/such/interpreter"));
  EXPECT_EQ(Run("exit 4").ended.exit_status, 4);
  Setting nowhere = Captured();
  nowhere.core = host::AllowedProcessors().value().front();
  EXPECT_EQ(Run("exit 6", nowhere).ended.exit_status, 6);
}

TEST_F(Standing, TimesOutAndGoesOn) {
  Setting setting = Captured();
  setting.timeout_seconds = 0.05;
  EXPECT_EQ(Run("sleep 30", setting).ended.how, Ended::How::kTimedOut);
  EXPECT_EQ(Run("exit 4").ended.exit_status, 4);
}

TEST_F(Standing, ForbiddenRunsAreNotExecuted) {
  const TemporaryDirectory directory;
  const auto program = Resolve({{"/bin/sh", "-c", "echo x > " + directory.Path("made")}});
  ASSERT_TRUE(program);
  Hooks hooks;
  hooks.standing = &supervisor_;
  hooks.before_exec = [](pid_t) -> Result<void> { return Fail(ErrorKind::kUsage, "no"); };
  EXPECT_FALSE(RunProgram(*program, Captured(), hooks));
  EXPECT_TRUE(directory.IsEmpty());
  EXPECT_EQ(Run("exit 4").ended.exit_status, 4);
}

TEST_F(Standing, HasOneMountWhateverTheLengthOfThePath) {
  if (!CanLengthenDirectory()) GTEST_SKIP() << "no directory can be lengthened here";
  std::string last;
  std::set<std::string> paths;
  // How many lines of a list of mounts have one of the paths.
  const auto mounts = [&paths](const std::string& text) {
    std::istringstream lines(text);
    int found = 0;
    for (std::string line; std::getline(lines, line);) {
      found += std::ranges::any_of(paths, [&line](const std::string& path) {
        return line.find(path + " ") != std::string::npos;
      });
    }
    return found;
  };
  const TemporaryDirectory other;
  const TemporaryDirectory here;
  // 300 needs two names, so the directory is made again.
  for (const std::size_t length : {100U, 200U, 201U, 101U, 300U, 90U, 91U}) {
    Setting setting = Captured();
    setting.cwd_length = length;
    const TemporaryDirectory& directory = length % 2 == 0 ? here : other;
    setting.directory = directory.Path();
    const auto finished = Run("pwd -P; test -e . && cat /proc/self/mountinfo", setting);
    const std::string path = finished.output.substr(0, finished.output.find('\n'));
    EXPECT_EQ(path.size(), length) << finished.errors;
    EXPECT_NE(path, last);
    Run("touch seen", setting);
    EXPECT_TRUE(std::filesystem::remove(directory.Path("seen"))) << length;
    paths.insert(path);
    EXPECT_EQ(mounts(finished.output), 1);
    last = path;
  }
}

TEST_F(Standing, IsReplacedIfProgramsWouldInheritSomethingElse) {
  const std::string parent = Parent();
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "there is one processor";
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t number = 0; number < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++number) {
    if (CPU_ISSET(number, &before)) CPU_SET(number, &one);
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(Run("nproc").output, "1\n");
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_NE(Run("nproc").output, "1\n");
}

TEST_F(Standing, KeepsClosedStreamsClosed) {
  const TemporaryDirectory directory;
  const std::string input = directory.Write("input", "read\n");
  const pid_t child = ::fork();
  if (child == 0) {
    for (int number = 0; number < 3; ++number) ::close(number);
    Setting setting;
    setting.input = {Input::From::kFile, input};
    setting.output = Output::kCaptured;
    bool is_right = true;
    for (int i = 0; i < 2; ++i) {
      const std::string output = Run("test -e /dev/fd/2 && echo open; cat", setting).output;
      is_right = is_right && output == "read\n";
    }
    ::_exit(is_right ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Standing, KeepsNoDescriptorOfThisProcess) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Run("exit 0");  // starts the supervisor
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // no writer is left
  ::close(ends[0]);
}

double ChildrensSeconds() {
  struct rusage use{};
  ::getrusage(RUSAGE_CHILDREN, &use);
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

TEST_F(Standing, AtItsEndThisProcessAccountsForTheRuns) {
  const double before = ChildrensSeconds();
  const auto use = Run("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done").use;
  supervisor_.End();
  EXPECT_GE(ChildrensSeconds() - before, 0.9 * (use.user_seconds + use.system_seconds));
  EXPECT_GT(use.user_seconds, 0);
  EXPECT_EQ(Run("exit 4").ended.exit_status, 4);
}

TEST_F(Standing, SaysHowMuchMemoryAProgramNeeded) {
#ifdef TARE_SANITIZED
  GTEST_SKIP() << "a sanitized process may need more memory than the program, and hides its peak";
#endif
  const auto use = Run("dd if=/dev/zero of=/dev/null bs=60000000 count=1").use;
  EXPECT_GT(use.max_resident_bytes.value_or(0), 40'000'000U);
}

}  // namespace
}  // namespace tare::run
