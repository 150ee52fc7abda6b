// clock.h: every clock this program knows, and what is true of it on this machine.
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

// What is known of a clock before any measurement.
struct Clock {
  ClockId id;
  std::string_view name;
  std::string_view reads;  // the instruction or call
  Counts counts;
  Architecture architecture;
  // A reading is a whole number of these; 0 where the machine must be asked.
  double tick_seconds;
  // The counter that rolls over: its least width, and what it counts in; 0 where that is the tick.
  int bits;
  double counter_seconds;
  // Whether a reading waits for the instructions before it.
  bool ordered;
  // The id for clock_gettime, or -1.
  int posix_id;
};

std::span<const Clock> ClockTable();
const Clock& Row(ClockId id);

// The clock with that name, or an error that names those there are. A clock of another
// architecture is found too; see Availability.
Result<const Clock*> FindClock(std::string_view name);

// Fails where this machine lacks the clock, with the reason and the names of those it has.
Result<void> Availability(const Clock& clock);
// Empty where the clock is there.
std::string LackingReason(const Clock& clock);

std::vector<ClockId> AvailableClocks();

// The finest ordered clock of the processor here, or CLOCK_MONOTONIC.
ClockId FinestClock();

struct TickPeriod {
  stats::Estimate seconds;
  bool exact;  // known, not measured: the interval is a point
};

// Length of one tick. Measured against CLOCK_MONOTONIC_RAW for the x86 counter, which takes about a
// tenth of a second; for all others it is known. Needs an available clock.
Result<TickPeriod> MeasureTickPeriod(const Clock& clock, double confidence);

// Width of the counter that rolls over. On Arm the width that the architecture promises for ticks
// of that length: the real one may be larger and cannot be asked for.
int CounterBits(const Clock& clock, double tick_seconds);

// How the clock is read here, found by forbidding the system call to one thread. Nothing where the
// kernel does not allow that.
std::optional<Access> FindAccess(const Clock& clock);

// clock_getres, where the clock has one.
std::optional<double> NominalResolution(const Clock& clock);

// A processor's own statement about its time-stamp counter; nothing on other processors.
struct TscFacts {
  bool invariant;  // cpuid 0x80000007, edx bit 8: one rate in all power states
  bool rdtscp;
};
std::optional<TscFacts> ReadTscFacts();

}  // namespace tare::clock
