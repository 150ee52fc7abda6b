// clock_tick_period.cc: measuring or querying the length of a tick.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "machine/clock/clock.h"
#include "machine/clock/clock_reads.h"

namespace tare::clock {
namespace {

#if defined(__x86_64__)

using ReadRaw = ReadClockGettime<CLOCK_MONOTONIC_RAW>;

// A reading of both clocks: the counter was read within `width_ns` around `ns`.
struct SimultaneousReading {
  std::uint64_t ticks;
  double ns;
  double width_ns;
};

// The tightest of several brackets: an interrupt between the readings widens only one of them.
SimultaneousReading ReadBothClocks() {
  SimultaneousReading best{0, 0, std::numeric_limits<double>::infinity()};
  for (int attempt = 0; attempt < 50; ++attempt) {
    const std::uint64_t before = ReadRaw::Now();
    const std::uint64_t ticks = ReadRdtscLfence::Now();
    const std::uint64_t after = ReadRaw::Now();
    const auto width = static_cast<double>(after - before);
    if (width < best.width_ns) best = {ticks, static_cast<double>(before) + width / 2, width};
  }
  return best;
}

Result<Measured> MeasureTsc(double confidence) {
  constexpr int kWindows = 12;
  constexpr auto kWindow = std::chrono::milliseconds(8);
  std::vector<double> seconds_per_tick;
  double bracket = 0;
  SimultaneousReading from = ReadBothClocks();
  for (int window = 0; window < kWindows; ++window) {
    std::this_thread::sleep_for(kWindow);
    const SimultaneousReading to = ReadBothClocks();
    const double ns = to.ns - from.ns;
    if (to.ticks <= from.ticks || ns <= 0) {
      return Fail(ErrorKind::kUnsupported,
                  "the time-stamp counter did not advance with CLOCK_MONOTONIC_RAW");
    }
    seconds_per_tick.push_back(ns * 1e-9 / static_cast<double>(to.ticks - from.ticks));
    bracket = std::max(bracket, (from.width_ns + to.width_ns) / 2 / ns);
    from = to;
  }
  TRY(const auto period, stats::MedianInterval(seconds_per_tick, confidence));
  // The position of a reading within its bracket is unknown and may be the same each time.
  return Between(period.Value(), period.Low() * (1 - bracket), period.High() * (1 + bracket),
                 confidence);
}

#endif

}  // namespace

Result<Measured> MeasureTickPeriod(const Clock& clock, double confidence) {
  TRY_VOID(Availability(clock));
  if (!(confidence > 0 && confidence < 1)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("the confidence must be between 0 and 1, not {}", confidence));
  }
  if (clock.tick_seconds > 0) return Known(clock.tick_seconds);
  if (clock.id == ClockId::kTimes) {
    const long per_second = ::sysconf(_SC_CLK_TCK);
    if (per_second <= 0) return Fail(ErrorKind::kUnsupported, "sysconf does not know _SC_CLK_TCK");
    return Known(1.0 / static_cast<double>(per_second));
  }
#if defined(__x86_64__)
  return MeasureTsc(confidence);
#elif defined(__aarch64__)
  // The kernel derives CLOCK_MONOTONIC_RAW from this counter with this same frequency, so a
  // measurement against it could not reveal a wrong frequency.
  std::uint64_t per_second = 0;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(per_second));
  if (per_second == 0) {
    return Fail(ErrorKind::kUnsupported, "the firmware did not set the counter's frequency");
  }
  return Known(1.0 / static_cast<double>(per_second));
#else
  return Fail(ErrorKind::kUnsupported, "the counter's frequency is not known");
#endif
}

}  // namespace tare::clock
