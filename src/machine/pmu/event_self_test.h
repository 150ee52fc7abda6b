// event_self_test.h: whether an event that opens also counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "machine/pmu/event_count.h"

namespace tare::pmu {

enum class Works { kCounts, kCountsNothing, kCountsWrong, kNotTested };

std::string_view Name(Works works);

struct SelfTest {
  Works works = Works::kNotTested;
  std::optional<std::uint64_t> counted;   // in the event's unit; clocks count nanoseconds
  std::optional<std::uint64_t> at_least;  // what the workload causes for sure
  std::optional<std::uint64_t> at_most;   // where more than that cannot be
  // Whether a reading by an instruction agreed with that of the kernel; absent: not allowed here.
  std::optional<bool> user_read_agrees;
  std::string reason;  // why not tested, or what went wrong
};

// Runs the event's workload while it counts, a few milliseconds at most. Page faults are tested
// exactly: a known number of fresh pages is touched. Moving to another processor changes the
// calling thread's affinity for the time of the test, so the caller should run it on a thread of
// its own.
SelfTest TestEvent(const EventRow& row, const EventHandle& event);

}  // namespace tare::pmu
