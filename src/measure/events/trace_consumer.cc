// trace_consumer.cc: a pipe to a command of the shell.
#include "measure/events/trace_consumer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace tare::events {

Result<TraceConsumer> TraceConsumer::Start(const std::string& command, bool output_to_errors) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Fail(ErrorKind::kIo,
                fmt::format("cannot make a pipe: {}", std::generic_category().message(errno)));
  }
  const auto output = Descriptor::AboveStandard(ends[0]);
  auto input = Descriptor::AboveStandard(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output.Number(), STDIN_FILENO);
  if (output_to_errors) ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  std::array<std::string, 3> words = {"sh", "-c", command};
  std::array<char*, 4> arguments = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t process = -1;
  const int failed =
      ::posix_spawn(&process, "/bin/sh", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return Fail(ErrorKind::kIo,
                fmt::format("cannot run /bin/sh: {}", std::generic_category().message(failed)));
  }
  return TraceConsumer(process, std::move(input));
}

std::filesystem::path TraceConsumer::Input() const {
  return fmt::format("/proc/self/fd/{}", input_.Number());
}

int TraceConsumer::Wait() {
  input_.Close();
  if (process_ < 0) return status_;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0) {
    if (errno == EINTR) continue;
    status = 127 << 8;
    break;
  }
  process_ = -1;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

}  // namespace tare::events
