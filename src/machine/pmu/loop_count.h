// loop_count.h: an event of the calling thread, held against a loop of known counts.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>

#include "machine/pmu/event_count.h"
#include "machine/pmu/event_self_test.h"
#include "machine/pmu/known_loop.h"

namespace tare::pmu {

struct LoopReading {
  EventCount count;
  // Readings by an instruction around that of the kernel; absent where they are not allowed.
  std::optional<std::uint64_t> user_before;
  std::optional<std::uint64_t> user_after;
};

// Counts the event over so many turns; or the error number. Tests put their own in its place.
using CountLoop = std::function<std::expected<LoopReading, int>(
    const EventCode& code, LoopPart part, std::uint64_t turns)>;

std::expected<LoopReading, int> CountLoopHere(const EventCode& code, LoopPart part,
                                              std::uint64_t turns);

// Whether the event counts what the part says: two loops of different length are counted and their
// difference is judged, so that the cost of starting and stopping is none of it. An event that does
// not open gives its error number. Under a millisecond.
std::expected<SelfTest, int> TestByLoop(const EventCode& code, LoopPart part,
                                        const CountLoop& count = CountLoopHere);

}  // namespace tare::pmu
