// clock_reads.h: reading each clock, inlined into the loop that measures it.
#pragma once

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#include <cstdint>

#include "base/check.h"
#include "machine/clock/clock.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace tare::clock {

#if defined(__x86_64__)
struct ReadRdtsc {
  [[gnu::always_inline]] static std::uint64_t Now() { return __rdtsc(); }
};
// The first fence completes earlier instructions before the reading; the second keeps later
// instructions from starting before it (Intel SDM vol. 2B, RDTSC).
struct ReadRdtscLfence {
  [[gnu::always_inline]] static std::uint64_t Now() {
    _mm_lfence();
    const std::uint64_t ticks = __rdtsc();
    _mm_lfence();
    return ticks;
  }
};
struct ReadRdtscp {
  [[gnu::always_inline]] static std::uint64_t Now() {
    unsigned processor = 0;
    const std::uint64_t ticks = __rdtscp(&processor);
    _mm_lfence();
    return ticks;
  }
};
#elif defined(__aarch64__)
struct ReadCntvct {
  [[gnu::always_inline]] static std::uint64_t Now() {
    std::uint64_t ticks = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
  }
};
// Without a barrier the counter may be read ahead of earlier instructions (Arm ARM, D11.1.2).
struct ReadCntvctIsb {
  [[gnu::always_inline]] static std::uint64_t Now() {
    std::uint64_t ticks = 0;
    asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
    return ticks;
  }
};
#endif

template <clockid_t kId>
struct ReadClockGettime {
  [[gnu::always_inline]] static std::uint64_t Now() {
    timespec now;
    ::clock_gettime(kId, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(now.tv_nsec);
  }
};

struct ReadGettimeofday {
  [[gnu::always_inline]] static std::uint64_t Now() {
    timeval now;
    ::gettimeofday(&now, nullptr);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000u +
           static_cast<std::uint64_t>(now.tv_usec);
  }
};

struct ReadGetrusage {
  [[gnu::always_inline]] static std::uint64_t Now() {
    rusage usage;
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000u +
           static_cast<std::uint64_t>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  }
};

struct ReadTimes {
  [[gnu::always_inline]] static std::uint64_t Now() {
    tms usage;
    ::times(&usage);
    return static_cast<std::uint64_t>(usage.tms_utime + usage.tms_stime);
  }
};

using ReadMonotonic = ReadClockGettime<CLOCK_MONOTONIC>;

// Calls `work` with the reader of the clock. `work` is instantiated once per clock, so a reading
// needs no indirect call. The clock must be available.
template <typename Work>
auto WithClock(ClockId id, Work&& work) {
  switch (id) {
#if defined(__x86_64__)
    case ClockId::kRdtsc:
      return work(ReadRdtsc{});
    case ClockId::kRdtscLfence:
      return work(ReadRdtscLfence{});
    case ClockId::kRdtscp:
      return work(ReadRdtscp{});
    case ClockId::kCntvct:
    case ClockId::kCntvctIsb:
      break;
#elif defined(__aarch64__)
    case ClockId::kCntvct:
      return work(ReadCntvct{});
    case ClockId::kCntvctIsb:
      return work(ReadCntvctIsb{});
    case ClockId::kRdtsc:
    case ClockId::kRdtscLfence:
    case ClockId::kRdtscp:
      break;
#else
    case ClockId::kRdtsc:
    case ClockId::kRdtscLfence:
    case ClockId::kRdtscp:
    case ClockId::kCntvct:
    case ClockId::kCntvctIsb:
      break;
#endif
    case ClockId::kRealtime:
      return work(ReadClockGettime<CLOCK_REALTIME>{});
    case ClockId::kRealtimeCoarse:
      return work(ReadClockGettime<CLOCK_REALTIME_COARSE>{});
    case ClockId::kMonotonic:
      return work(ReadMonotonic{});
    case ClockId::kMonotonicRaw:
      return work(ReadClockGettime<CLOCK_MONOTONIC_RAW>{});
    case ClockId::kMonotonicCoarse:
      return work(ReadClockGettime<CLOCK_MONOTONIC_COARSE>{});
    case ClockId::kBoottime:
      return work(ReadClockGettime<CLOCK_BOOTTIME>{});
    case ClockId::kTai:
      return work(ReadClockGettime<CLOCK_TAI>{});
    case ClockId::kProcessCputime:
      return work(ReadClockGettime<CLOCK_PROCESS_CPUTIME_ID>{});
    case ClockId::kThreadCputime:
      return work(ReadClockGettime<CLOCK_THREAD_CPUTIME_ID>{});
    case ClockId::kGettimeofday:
      return work(ReadGettimeofday{});
    case ClockId::kGetrusage:
      return work(ReadGetrusage{});
    case ClockId::kTimes:
      return work(ReadTimes{});
  }
  CheckFailed("the clock is available", __FILE__, __LINE__);
}

}  // namespace tare::clock
