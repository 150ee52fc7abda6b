// run_workers.cc: runs go to the workers and records come back through sockets.
#include "analysis/study/run_workers.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/stop.h"

namespace tare::study {
namespace {

// A worker that was killed closes its socket: no SIGPIPE then.
bool SendBytes(int socket, const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = ::send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool ReceiveBytes(int socket, void* bytes, std::size_t size) {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t received = ::recv(socket, at, size, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    at += received;
    size -= static_cast<std::size_t>(received);
  }
  return true;
}

// An interrupted run has no record: the size is 0.
[[noreturn]] void Work(int socket, const ExecuteRun& execute) {
  PlannedRun run;
  while (ReceiveBytes(socket, &run, sizeof run)) {
    const auto record = execute(run);
    const std::string text = record ? ToJson(*record) : "";
    const std::uint64_t size = text.size();
    if (!SendBytes(socket, &size, sizeof size)) break;
    if (text.empty() || !SendBytes(socket, text.data(), text.size())) break;
  }
  ::_exit(0);
}

}  // namespace

Result<RunWorkers> RunWorkers::Start(std::size_t count, const ExecuteRun& execute) {
  RunWorkers workers;
  const pid_t owner = ::getpid();
  for (std::size_t i = 0; i < count; ++i) {
    int sockets[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
      return std::unexpected(SystemError("create", "a socket", errno));
    }
    Descriptor ours = Descriptor::AboveStandard(sockets[0]);
    const Descriptor theirs = Descriptor::AboveStandard(sockets[1]);
    const pid_t process = ::fork();
    if (process < 0) return std::unexpected(SystemError("start", "a worker", errno));
    if (process == 0) {
      ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL));
      if (::getppid() != owner) ::_exit(0);
      // Otherwise the workers would keep each other's sockets open.
      ours.Close();
      for (Worker& worker : workers.workers_) worker.socket.Close();
      Work(theirs.Number(), execute);
    }
    workers.workers_.push_back({process, std::move(ours), std::nullopt});
  }
  return workers;
}

RunWorkers::~RunWorkers() {
  for (Worker& worker : workers_) {
    worker.socket.Close();
    if (worker.run) ::kill(worker.process, SIGTERM);
  }
  for (const Worker& worker : workers_) {
    while (::waitpid(worker.process, nullptr, 0) < 0 && errno == EINTR) continue;
  }
}

bool RunWorkers::HasIdle() const {
  return std::ranges::any_of(workers_, [](const Worker& worker) { return !worker.run; });
}

bool RunWorkers::IsRunning() const {
  return std::ranges::any_of(workers_, [](const Worker& worker) { return worker.run.has_value(); });
}

Result<void> RunWorkers::Begin(const PlannedRun& run) {
  const auto idle =
      std::ranges::find_if(workers_, [](const Worker& worker) { return !worker.run; });
  CHECK(idle != workers_.end());
  idle->run = run;
  if (SendBytes(idle->socket.Number(), &run, sizeof run)) return {};
  return Fail(ErrorKind::kIo, "a process that executes runs was killed");
}

Result<std::optional<RunWorkers::Done>> RunWorkers::TakeDone(std::chrono::milliseconds wait) {
  std::vector<pollfd> waited;
  for (const Worker& worker : workers_) waited.push_back({worker.socket.Number(), POLLIN, 0});
  const int ready = ::poll(waited.data(), waited.size(), static_cast<int>(wait.count()));
  if (ready < 0 && errno != EINTR) return std::unexpected(SystemError("wait for", "runs", errno));
  if (ready <= 0) return std::nullopt;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (!worker.run || waited[i].revents == 0) continue;
    std::uint64_t size = 0;
    std::string text;
    const bool began = ReceiveBytes(worker.socket.Number(), &size, sizeof size);
    if (began && size == 0) return Stopped();
    if (began) text.resize(size);
    if (!began || !ReceiveBytes(worker.socket.Number(), text.data(), size)) {
      return Fail(ErrorKind::kIo, "a process that executes runs was killed");
    }
    TRY(auto record, ParseRunRecord(text));
    return Done{*std::exchange(worker.run, std::nullopt), std::move(record)};
  }
  return std::nullopt;
}

}  // namespace tare::study
