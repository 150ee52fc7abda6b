// compiler_process.cc: executes the compiler, and forwards signals while waiting for it.
#include "compiler/wrapper/compiler_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "base/file.h"

namespace tare::wrapper {
namespace {

class ProgramStart {
 public:
  explicit ProgramStart(const CompilerRun& run) {
    for (const std::string& argument : run.arguments) words_.push_back(argument);
    const std::string prefix = std::string(format::kPlanVariable) + "=";
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (!std::string_view(*entry).starts_with(prefix)) environment_.emplace_back(*entry);
    }
    if (run.plan) environment_.push_back(prefix + *run.plan);
    Point(words_, argv_);
    Point(environment_, envp_);
  }
  ProgramStart(const ProgramStart&) = delete;
  ProgramStart& operator=(const ProgramStart&) = delete;

  char* const* argv() const { return argv_.data(); }
  char* const* envp() const { return envp_.data(); }

 private:
  static void Point(std::vector<std::string>& texts, std::vector<char*>& pointers) {
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
  }

  std::vector<std::string> words_;
  std::vector<std::string> environment_;
  std::vector<char*> argv_;
  std::vector<char*> envp_;
};

constexpr std::array<int, 4> kForwarded = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

std::atomic<pid_t> compiler_process = 0;

// A terminal signals the whole process group, so the compiler may get the signal twice, which is
// harmless.
void Forward(int signal) {
  const pid_t process = compiler_process.load();
  if (process > 0) ::kill(process, signal);
}

class ForwardedSignals {
 public:
  ForwardedSignals() {
    struct sigaction action{};
    action.sa_handler = Forward;
    for (std::size_t i = 0; i < kForwarded.size(); ++i) {
      ::sigaction(kForwarded[i], nullptr, &before_[i]);
      // Signals that the caller ignores stay ignored.
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kForwarded[i], &action, nullptr);
    }
  }
  ~ForwardedSignals() {
    for (std::size_t i = 0; i < kForwarded.size(); ++i) {
      ::sigaction(kForwarded[i], &before_[i], nullptr);
    }
  }
  ForwardedSignals(const ForwardedSignals&) = delete;
  ForwardedSignals& operator=(const ForwardedSignals&) = delete;

 private:
  std::array<struct sigaction, kForwarded.size()> before_{};
};

}  // namespace

Error BecomeCompiler(const CompilerRun& run) {
  const ProgramStart start(run);
  ::execve(run.program.c_str(), start.argv(), start.envp());
  return SystemError("run", run.program, errno);
}

Result<int> RunCompiler(const CompilerRun& run) {
  const ProgramStart start(run);
  const ForwardedSignals forwarded;
  pid_t process = 0;
  const int error =
      ::posix_spawn(&process, run.program.c_str(), nullptr, nullptr, start.argv(), start.envp());
  if (error != 0) return std::unexpected(SystemError("run", run.program, error));
  compiler_process = process;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return std::unexpected(SystemError("wait for", run.program, errno));
  }
  compiler_process = 0;
  return status;
}

void EndLike(int wait_status) {
  if (WIFEXITED(wait_status)) ::_exit(WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  // No core dump of this process: the compiler has already written its own.
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace tare::wrapper
