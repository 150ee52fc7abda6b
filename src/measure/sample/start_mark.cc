// start_mark.cc: reads clocks and counters just before execve.
#include "measure/sample/start_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>

namespace tare::sample {
namespace {

std::uint64_t Nanoseconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

std::uint64_t MonotonicNs() { return Nanoseconds(CLOCK_MONOTONIC); }

Result<StartMark> StartMark::Make() {
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return Fail(ErrorKind::kUnsupported, fmt::format("cannot share memory: {}", ::strerror(errno)));
  }
  return StartMark(new (memory) Shared);
}

void StartMark::Unmap(Shared* shared) { ::munmap(shared, sizeof(Shared)); }

void StartMark::Set() const {
  Shared& shared = *shared_;
  const int file = ::open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    const ssize_t got = ::read(file, shared.io, sizeof shared.io);
    shared.io_bytes = got > 0 ? static_cast<std::size_t>(got) : 0;
    ::close(file);
  }
  ::getrusage(RUSAGE_SELF, &shared.use);
  shared.cpu_ns = Nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  shared.time_ns = Nanoseconds(CLOCK_MONOTONIC);
  shared.set.store(true, std::memory_order_release);
}

std::optional<StartValues> StartMark::Get() const {
  const Shared& shared = *shared_;
  if (!shared.set.load(std::memory_order_acquire)) return std::nullopt;
  StartValues values;
  values.time_ns = shared.time_ns;
  values.cpu_ns = shared.cpu_ns;
  values.use = shared.use;
  values.io = ParseProcessIo(std::string_view(shared.io, shared.io_bytes));
  // The text does not include the read system call that read it.
  if (values.io) {
    values.io->read_bytes += shared.io_bytes;
    values.io->read_calls += 1;
  }
  return values;
}

}  // namespace tare::sample
