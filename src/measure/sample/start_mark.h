// start_mark.h: what a process has used up at the moment when it becomes the program.
#pragma once

#include <sys/resource.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "measure/sample/process_text.h"

namespace tare::sample {

// All of it is taken off what is read later.
struct StartValues {
  std::uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t cpu_ns = 0;
  struct rusage use{};
  std::optional<ProcessIo> io;
};

// Lies in memory that the program's process shares until its execve.
class StartMark {
 public:
  static Result<StartMark> Make();

  // In the program's process, the last thing before execve; async-signal-safe.
  void Set() const;

  // In this process; nothing as long as it has not been set.
  std::optional<StartValues> Get() const;

 private:
  struct Shared {
    std::atomic<bool> set{false};
    std::uint64_t time_ns = 0;
    std::uint64_t cpu_ns = 0;
    struct rusage use{};
    std::size_t io_bytes = 0;
    char io[512] = {};
  };
  static void Unmap(Shared* shared);

  explicit StartMark(Shared* shared) : shared_(shared, &Unmap) {}

  std::unique_ptr<Shared, void (*)(Shared*)> shared_;
};

// CLOCK_MONOTONIC.
std::uint64_t MonotonicNs();

}  // namespace tare::sample
