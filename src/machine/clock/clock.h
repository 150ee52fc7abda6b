// clock.h: the known clocks and their properties on this machine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::clock {

enum class ClockId {
  kRdtsc,
  kRdtscLfence,
  kRdtscp,
  kCntvct,
  kCntvctIsb,
  kRealtime,
  kRealtimeCoarse,
  kMonotonic,
  kMonotonicRaw,
  kMonotonicCoarse,
  kBoottime,
  kTai,
  kProcessCputime,
  kThreadCputime,
  kGettimeofday,
  kGetrusage,
  kTimes,
};

enum class Counts { kWall, kProcessCpu, kThreadCpu };
enum class Access { kInstruction, kVdso, kSystemCall };
enum class Architecture { kAny, kX86, kArm };

std::string_view Name(Counts counts);
std::string_view Name(Access access);

// Properties of a clock that need no measurement.
struct Clock {
  ClockId id;
  std::string_view name;
  std::string_view reads;  // the instruction or call
  Counts counts;
  Architecture architecture;
  // A reading is a whole number of these; 0 where the machine must be queried.
  double tick_seconds;
  // The counter that rolls over: its minimum width and its unit; 0 where the unit is the tick.
  int bits;
  double counter_seconds;
  // Whether a reading waits for all earlier instructions.
  bool ordered;
  // The id for clock_gettime, or -1.
  int posix_id;
};

std::span<const Clock> ClockTable();
const Clock& Row(ClockId id);

// The clock of that name, or an error that lists the known names. Also finds clocks of other
// architectures; see Availability.
Result<const Clock*> FindClock(std::string_view name);

// Fails when this machine lacks the clock; the message has the reason and lists the available ones.
Result<void> Availability(const Clock& clock);
// Why this machine lacks the clock; empty when it is available.
std::string LackingReason(const Clock& clock);

std::vector<ClockId> AvailableClocks();

// The processor's finest ordered clock on this machine, or CLOCK_MONOTONIC.
ClockId FinestClock();

// Length of one tick in seconds; exact where it is known instead of measured. The x86 counter is
// measured against CLOCK_MONOTONIC_RAW, which takes about a tenth of a second; all others are
// known. The clock must be available.
Result<Measured> MeasureTickPeriod(const Clock& clock, double confidence);

// Width of the counter that rolls over. On Arm this is the width that the architecture guarantees
// for this tick length: the real width may be larger and cannot be queried.
int CounterBits(const Clock& clock, double tick_seconds);

// How the clock is read here, detected by denying one thread the system call. Returns nothing where
// the kernel does not permit that.
std::optional<Access> FindAccess(const Clock& clock);

// The result of clock_getres(2), for clocks that have one.
std::optional<double> NominalResolution(const Clock& clock);

// What CPUID reports about the time-stamp counter; nothing on other architectures.
struct TscFacts {
  bool invariant;  // CPUID leaf 0x80000007, EDX bit 8: one rate in all power states
  bool rdtscp;
};
std::optional<TscFacts> ReadTscFacts();

}  // namespace tare::clock
