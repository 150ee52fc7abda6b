// clock.cc: the table of clocks, and properties that only this machine can report.
#include "machine/clock/clock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>

#include "base/check.h"
#include "base/printable.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tare::clock {
namespace {

using enum Counts;
using enum Architecture;

constexpr double kNano = 1e-9;
constexpr double kMicro = 1e-6;
// tv_sec is a signed 64-bit number.
constexpr int kSecondBits = 63;
// The kernel stores CPU time as 64 bits of nanoseconds, whatever unit the call returns.
constexpr int kCpuTimeBits = 64;

constexpr auto kTable = std::to_array<Clock>({
    {ClockId::kRdtsc, "rdtsc", "rdtsc", kWall, kX86, 0, 64, 0, false, -1},
    {ClockId::kRdtscLfence, "rdtsc+lfence", "lfence; rdtsc; lfence", kWall, kX86, 0, 64, 0, true,
     -1},
    {ClockId::kRdtscp, "rdtscp", "rdtscp; lfence", kWall, kX86, 0, 64, 0, true, -1},
    // The minimum width; see CounterBits.
    {ClockId::kCntvct, "cntvct", "mrs cntvct_el0", kWall, kArm, 0, 56, 0, false, -1},
    {ClockId::kCntvctIsb, "cntvct+isb", "isb; mrs cntvct_el0; isb", kWall, kArm, 0, 56, 0, true,
     -1},
    {ClockId::kRealtime, "realtime", "clock_gettime(CLOCK_REALTIME)", kWall, kAny, kNano,
     kSecondBits, 1, true, CLOCK_REALTIME},
    {ClockId::kRealtimeCoarse, "realtime_coarse", "clock_gettime(CLOCK_REALTIME_COARSE)", kWall,
     kAny, kNano, kSecondBits, 1, true, CLOCK_REALTIME_COARSE},
    {ClockId::kMonotonic, "monotonic", "clock_gettime(CLOCK_MONOTONIC)", kWall, kAny, kNano,
     kSecondBits, 1, true, CLOCK_MONOTONIC},
    {ClockId::kMonotonicRaw, "monotonic_raw", "clock_gettime(CLOCK_MONOTONIC_RAW)", kWall, kAny,
     kNano, kSecondBits, 1, true, CLOCK_MONOTONIC_RAW},
    {ClockId::kMonotonicCoarse, "monotonic_coarse", "clock_gettime(CLOCK_MONOTONIC_COARSE)", kWall,
     kAny, kNano, kSecondBits, 1, true, CLOCK_MONOTONIC_COARSE},
    {ClockId::kBoottime, "boottime", "clock_gettime(CLOCK_BOOTTIME)", kWall, kAny, kNano,
     kSecondBits, 1, true, CLOCK_BOOTTIME},
    {ClockId::kTai, "tai", "clock_gettime(CLOCK_TAI)", kWall, kAny, kNano, kSecondBits, 1, true,
     CLOCK_TAI},
    {ClockId::kProcessCputime, "process_cputime", "clock_gettime(CLOCK_PROCESS_CPUTIME_ID)",
     kProcessCpu, kAny, kNano, kCpuTimeBits, kNano, true, CLOCK_PROCESS_CPUTIME_ID},
    {ClockId::kThreadCputime, "thread_cputime", "clock_gettime(CLOCK_THREAD_CPUTIME_ID)",
     kThreadCpu, kAny, kNano, kCpuTimeBits, kNano, true, CLOCK_THREAD_CPUTIME_ID},
    {ClockId::kGettimeofday, "gettimeofday", "gettimeofday()", kWall, kAny, kMicro, kSecondBits, 1,
     true, -1},
    {ClockId::kGetrusage, "getrusage", "getrusage(RUSAGE_SELF), user and system", kProcessCpu, kAny,
     kMicro, kCpuTimeBits, kNano, true, -1},
    // sysconf(_SC_CLK_TCK) gives its unit.
    {ClockId::kTimes, "times", "times(), user and system", kProcessCpu, kAny, 0, kCpuTimeBits,
     kNano, true, -1},
});

constexpr Architecture kHere =
#if defined(__x86_64__)
    kX86;
#elif defined(__aarch64__)
    kArm;
#else
    kAny;
#endif

std::string_view ProcessorName(Architecture architecture) {
  return architecture == kX86 ? "x86-64" : architecture == kArm ? "aarch64" : "this";
}

std::string AvailableNames() {
  std::vector<std::string_view> names;
  for (const Clock& clock : kTable) {
    if (LackingReason(clock).empty()) names.push_back(clock.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string_view Name(Counts counts) {
  switch (counts) {
    case kWall:
      return "wall";
    case kProcessCpu:
      return "process CPU";
    case kThreadCpu:
      return "thread CPU";
  }
  return "wall";
}

std::string_view Name(Access access) {
  switch (access) {
    case Access::kInstruction:
      return "instruction";
    case Access::kVdso:
      return "vDSO";
    case Access::kSystemCall:
      return "system call";
  }
  return "system call";
}

std::span<const Clock> ClockTable() { return kTable; }

const Clock& Row(ClockId id) {
  const auto* row = std::ranges::find(kTable, id, &Clock::id);
  CHECK(row != kTable.end());
  return *row;
}

Result<const Clock*> FindClock(std::string_view name) {
  const auto* row = std::ranges::find(kTable, name, &Clock::name);
  if (row != kTable.end()) return row;
  return Fail(ErrorKind::kUsage, fmt::format("there is no clock '{}'; this machine has {}",
                                             Printable(name), AvailableNames()));
}

std::string LackingReason(const Clock& clock) {
  if (clock.architecture != kAny && clock.architecture != kHere) {
    return fmt::format("it is an instruction of {} processors, and this one is {}",
                       ProcessorName(clock.architecture), ProcessorName(kHere));
  }
  if (clock.id == ClockId::kRdtscp) {
    const auto facts = ReadTscFacts();
    if (!facts || !facts->rdtscp) return "this processor does not have the instruction";
  }
  if (clock.posix_id >= 0) {
    timespec now;
    if (::clock_gettime(clock.posix_id, &now) != 0) {
      return fmt::format("the kernel does not support it: {}",
                         std::generic_category().message(errno));
    }
  }
  return {};
}

Result<void> Availability(const Clock& clock) {
  const auto reason = LackingReason(clock);
  if (reason.empty()) return {};
  return Fail(ErrorKind::kUnsupported,
              fmt::format("the clock {} is not available: {}; this machine has {}", clock.name,
                          reason, AvailableNames()));
}

std::vector<ClockId> AvailableClocks() {
  std::vector<ClockId> ids;
  for (const Clock& clock : kTable) {
    if (LackingReason(clock).empty()) ids.push_back(clock.id);
  }
  return ids;
}

ClockId FinestClock() {
  if constexpr (kHere == kX86) return ClockId::kRdtscLfence;
  if constexpr (kHere == kArm) return ClockId::kCntvctIsb;
  return ClockId::kMonotonic;
}

int CounterBits(const Clock& clock, double tick_seconds) {
  if (clock.architecture != kArm || !(tick_seconds > 0)) return clock.bits;
  // At least 56 bits, and no roll-over within 40 years (Arm ARM, D11.1.2).
  constexpr double kPromisedSeconds = 40 * 365.25 * 86400;
  const double bits = std::ceil(std::log2(kPromisedSeconds / tick_seconds));
  return std::clamp(static_cast<int>(bits), clock.bits, 64);
}

std::optional<double> NominalResolution(const Clock& clock) {
  timespec resolution;
  if (clock.posix_id < 0 || ::clock_getres(clock.posix_id, &resolution) != 0) return std::nullopt;
  return static_cast<double>(resolution.tv_sec) + static_cast<double>(resolution.tv_nsec) * 1e-9;
}

std::optional<TscFacts> ReadTscFacts() {
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  TscFacts facts{};
  if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0) facts.invariant = (edx >> 8 & 1) != 0;
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0) facts.rdtscp = (edx >> 27 & 1) != 0;
  return facts;
#else
  return std::nullopt;
#endif
}

}  // namespace tare::clock
