// start_mark.h: a process's resource use just before execve.
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

// Subtracted from values that are read later.
struct StartValues {
  std::uint64_t time_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t cpu_ns = 0;
  struct rusage use{};
  std::optional<ProcessIo> io;
};

// In memory that the program's process shares until its execve.
class StartMark {
 public:
  static Result<StartMark> Make();

  // Call in the program's process directly before execve; async-signal-safe.
  void Set() const;

  // Call in this process; absent until Set() was called.
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
