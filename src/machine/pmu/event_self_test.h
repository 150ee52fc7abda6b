// event_self_test.h: testing whether an event that opens also counts.
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
  std::optional<std::uint64_t> counted;    // in the event's unit; clocks count nanoseconds
  std::optional<std::uint64_t> min_count;  // the minimum that the workload causes
  std::optional<std::uint64_t> max_count;  // the maximum, where there is one
  // Whether a read from user mode agreed with the kernel's; absent: not permitted here.
  std::optional<bool> user_read_agrees;
  std::string reason;  // why not tested, or what went wrong
};

// Runs the event's workload while it counts, for a few milliseconds at most. Page faults are tested
// exactly: the test touches a known number of fresh pages. The migration test changes the affinity
// of the calling thread temporarily, so the caller should use a separate thread.
SelfTest TestEvent(const EventRow& row, const EventHandle& event);

}  // namespace tare::pmu
