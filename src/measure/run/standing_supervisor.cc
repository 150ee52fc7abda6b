// standing_supervisor.cc: starts the supervisor, and sends it runs: strings in shared memory,
// descriptors through a socket.
#include "measure/run/standing_supervisor.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/run/supervisor.h"

namespace tare::run {
namespace {

// Descriptors of this process that no program gets. The supervisor must not keep them open: a
// reader waits until all writers of a pipe are closed, and locks by flock(2) are shared.
std::vector<int> OwnDescriptors() {
  std::vector<int> own;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc/self/fd"), ::closedir);
  if (!directory) return own;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    int number = -1;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
    if (parsed.ec != std::errc{} || number <= STDERR_FILENO) continue;
    if (number == ::dirfd(directory.get())) continue;
    const int flags = ::fcntl(number, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) != 0) own.push_back(number);
  }
  return own;
}

struct Ends {
  Descriptor first;
  Descriptor second;
};

Ends Open(int (*open)(int*)) {
  int ends[2];
  if (open(ends) != 0) return {};
  return {Descriptor::AboveStandard(ends[0]), Descriptor::AboveStandard(ends[1])};
}

int MakePipe(int* ends) { return ::pipe2(ends, O_CLOEXEC); }
int MakeSocket(int* ends) { return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }

// Copies texts and their pointers into the shared memory.
class Copier {
 public:
  explicit Copier(StandingMemory& memory) : next_(memory.bytes), left_(sizeof memory.bytes) {}

  const char* Text(const char* text) {
    if (text == nullptr) return nullptr;
    const std::size_t size = std::strlen(text) + 1;
    char* const place = Take(size);
    if (place != nullptr) std::memcpy(place, text, size);
    return place;
  }

  // Null-terminated.
  char** Texts(char* const* texts) {
    std::size_t count = 0;
    while (texts[count] != nullptr) ++count;
    auto** const place = reinterpret_cast<char**>(Take((count + 1) * sizeof(char*)));
    if (place == nullptr) return nullptr;
    for (std::size_t i = 0; i < count; ++i) place[i] = const_cast<char*>(Text(texts[i]));
    place[count] = nullptr;
    return place;
  }

  bool fits() const { return fits_; }

 private:
  char* Take(std::size_t size) {
    size = (size + alignof(char*) - 1) / alignof(char*) * alignof(char*);
    if (size > left_) {
      fits_ = false;
      return nullptr;
    }
    left_ -= size;
    return std::exchange(next_, next_ + size);
  }

  char* next_;
  std::size_t left_;
  bool fits_ = true;
};

sigset_t IgnoredSignals() {
  sigset_t ignored;
  ::sigemptyset(&ignored);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action{};
    if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
      ::sigaddset(&ignored, number);
    }
  }
  return ignored;
}

}  // namespace

bool StandingSupervisor::CanRun(const Launch& launch) {
  return !launch.process_id && !launch.huge_pages && !launch.hooks->supervise &&
         !launch.hooks->in_program;
}

bool StandingSupervisor::Fits(bool mounts) const {
  if (process_ == 0 || owner_ != ::getpid() || mounts != mounts_) return false;
  cpu_set_t processors;
  struct stat directory{};
  return ::sched_getaffinity(0, sizeof processors, &processors) == 0 &&
         CPU_EQUAL(&processors, &processors_) && ::stat(".", &directory) == 0 &&
         directory.st_dev == directory_device_ && directory.st_ino == directory_;
}

// With all signals blocked, as a run does.
bool StandingSupervisor::Start(const Launch& launch, bool mounts) {
  End();
  struct stat directory{};
  if (::sched_getaffinity(0, sizeof processors_, &processors_) != 0 ||
      ::stat(".", &directory) != 0) {
    return false;
  }
  directory_device_ = directory.st_dev;
  directory_ = directory.st_ino;
  mounts_ = mounts;
  void* const memory = ::mmap(nullptr, sizeof(StandingMemory), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = new (memory) StandingMemory;
  const std::vector<int> own = OwnDescriptors();
  Ends socket = Open(MakeSocket);
  Ends go = Open(MakePipe);
  Ends report = Open(MakePipe);
  if (!socket.second.IsOpen() || !go.second.IsOpen() || !report.second.IsOpen()) return false;
  const pid_t process = ::fork();
  if (process < 0) return false;
  if (process == 0) {
    for (const int number : own) ::close(number);
    socket.first.Close();
    go.second.Close();
    report.first.Close();
    StandBy(*memory_, mounts ? &launch.maps : nullptr, socket.second, go.first, report.second);
  }
  process_ = process;
  owner_ = ::getpid();
  socket_ = std::move(socket.first);
  go_write_ = std::move(go.second);
  report_read_ = std::move(report.first);
  return true;
}

bool StandingSupervisor::Fill(const Launch& launch) {
  new (&memory_->shared) Shared;
  LaunchPlan& plan = memory_->plan;
  plan = launch;
  Copier copier(*memory_);
  plan.path = copier.Text(launch.path);
  plan.arguments = copier.Texts(launch.arguments);
  plan.environment = copier.Texts(launch.environment);
  plan.directory = copier.Text(launch.directory);
  plan.behind_directory = copier.Text(launch.behind_directory);
  plan.ignored = IgnoredSignals();
  return copier.fits();
}

// False if the supervisor is dead.
bool StandingSupervisor::Send(const Launch& launch) {
  std::array<int, kStandingDescriptors> sent{};
  std::size_t count = 0;
  const auto send = [&](int number) {
    if (number < 0) return number;
    sent[count] = number;
    return static_cast<int>(count++);
  };
  LaunchPlan& plan = memory_->plan;
  std::ranges::transform(launch.standard, plan.standard.begin(), send);
  plan.terminal = send(launch.terminal);
  char byte = kStandingRun;
  struct iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof sent)] = {};
  struct msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(header), sent.data(), count * sizeof(int));
  }
  ssize_t put = 0;
  do {
    put = ::sendmsg(socket_.Number(), &message, MSG_NOSIGNAL);
  } while (put < 0 && errno == EINTR);
  return put == 1;
}

pid_t StandingSupervisor::Begin(Launch& launch) {
  const bool mounts = launch.behind_directory != nullptr;
  for (const bool is_new : {false, true}) {
    if ((is_new || !Fits(mounts)) && !Start(launch, mounts)) return 0;
    if (!Fill(launch)) return 0;
    if (!Send(launch)) continue;
    launch.go_write = std::move(go_write_);
    launch.report_read = std::move(report_read_);
    launch.shared = &memory_->shared;
    return process_;
  }
  return 0;
}

Result<std::string> StandingSupervisor::Directory(std::size_t bytes) {
  if (!path_ || !path_->Resize(bytes)) {
    path_.reset();
    TRY(auto made, DirectoryPath::Make(bytes));
    path_.emplace(std::move(made));
  }
  return path_->Path();
}

void StandingSupervisor::Keep(Launch& launch) {
  go_write_ = std::move(launch.go_write);
  report_read_ = std::move(launch.report_read);
}

void StandingSupervisor::Dismiss() {
  const char byte = kStandingEnd;
  if (socket_.IsOpen()) ::send(socket_.Number(), &byte, 1, MSG_NOSIGNAL);
  socket_.Close();
  process_ = 0;
}

void StandingSupervisor::End() {
  // A fork of the process that started it leaves it alone.
  const pid_t process = owner_ == ::getpid() ? process_ : 0;
  if (process == 0) socket_.Close();
  Dismiss();
  go_write_.Close();
  report_read_.Close();
  if (process > 0) ::kill(process, SIGCONT);
  while (process > 0 && ::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (memory_ != nullptr) ::munmap(memory_, sizeof(StandingMemory));
  memory_ = nullptr;
}

}  // namespace tare::run
