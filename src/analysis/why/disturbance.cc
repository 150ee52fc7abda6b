// disturbance.cc: starts the neighbour processes and evicts files from the page cache.
#include "analysis/why/disturbance.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>

#include "base/descriptor.h"
#include "base/file.h"

namespace tare::why {
namespace {

// Larger than the shared caches.
constexpr std::size_t kBufferBytes = std::size_t{64} << 20;
constexpr std::size_t kLine = 64;

[[noreturn]] void Disturb(volatile std::uint64_t* buffer, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // the parent died before PR_SET_PDEATHSIG took effect
  for (std::uint64_t round = 0;; ++round) {
    for (std::size_t i = 0; i < kBufferBytes / sizeof(std::uint64_t); i += kLine / 8) {
      buffer[i] = buffer[i] + round;
    }
  }
}

}  // namespace

Result<Neighbours> Neighbours::Start(unsigned count) {
  Neighbours neighbours;
  const pid_t parent = getpid();
  for (unsigned i = 0; i < count; ++i) {
    void* buffer =
        mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffer == MAP_FAILED) return std::unexpected(SystemError("map", "memory", errno));
    const pid_t process = fork();
    if (process == 0) Disturb(static_cast<volatile std::uint64_t*>(buffer), parent);
    munmap(buffer, kBufferBytes);
    if (process < 0) return std::unexpected(SystemError("start", "a neighbour", errno));
    neighbours.processes_.push_back(process);
  }
  return neighbours;
}

Neighbours::~Neighbours() {
  for (const pid_t process : processes_) kill(process, SIGKILL);
  for (const pid_t process : processes_) {
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

std::vector<std::filesystem::path> FilesOf(const run::ResolvedProgram& program,
                                           const run::Setting& setting) {
  std::vector<std::filesystem::path> files = {program.path};
  if (setting.input.from == run::Input::From::kFile) files.push_back(setting.input.file);
  for (std::size_t i = 1; i < program.arguments.size(); ++i) {
    std::error_code error;
    if (std::filesystem::is_regular_file(program.arguments[i], error)) {
      files.emplace_back(program.arguments[i]);
    }
  }
  return files;
}

void Forget(const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (opened.Number() >= 0) posix_fadvise(opened.Number(), 0, 0, POSIX_FADV_DONTNEED);
  }
}

}  // namespace tare::why
