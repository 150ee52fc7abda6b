// io_wait.h: how long a running program waited for storage, by the kernel's account.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/measured.h"
#include "machine/host/system_files.h"

namespace tare::load {

// Field 42 of /proc/PID/stat, in clock ticks; absent where the line has none.
std::optional<std::uint64_t> WaitedTicks(std::string_view stat);

// Microseconds in which some, or all, tasks of the machine waited for input and output: the totals
// of /proc/pressure/io since the boot.
struct IoPressure {
  std::optional<std::uint64_t> some_us;
  std::optional<std::uint64_t> full_us;
};
IoPressure ParseIoPressure(std::string_view text);

struct IoWait {
  Measured program;       // seconds, summed over its threads and descendants
  Measured machine_some;  // seconds in which at least one task of the machine waited
  Measured machine_full;  // seconds in which all of them waited
};

// Reads the account of a process and its descendants while they run. Call Sample() often: what a
// thread waited after the last sample before its end is not seen.
class IoWaitMeter {
 public:
  // `tick_seconds` is the unit of the kernel's account: 1 / sysconf(_SC_CLK_TCK).
  IoWaitMeter(host::SystemFiles files, double tick_seconds);

  void Sample(std::uint64_t process);
  // Since the construction. A number that the kernel does not give is absent with the reason.
  IoWait Read() const;

 private:
  void SampleProcess(std::uint64_t process, int depth);

  host::SystemFiles files_;
  double tick_seconds_;
  IoPressure start_;
  bool seen_ = false;                             // a thread's account was read
  std::map<std::uint64_t, std::uint64_t> ticks_;  // by thread
};

}  // namespace tare::load
