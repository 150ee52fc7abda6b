// loop_count.h: testing an event of the calling thread against a loop with known counts.
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
  // User-mode reads before and after the kernel's; absent where they are not permitted.
  std::optional<std::uint64_t> user_before;
  std::optional<std::uint64_t> user_after;
};

// Counts the event over `iterations` iterations, or returns the error number. Tests substitute
// their own.
using CountLoop = std::function<std::expected<LoopReading, int>(
    const EventCode& code, LoopPart part, std::uint64_t iterations)>;

std::expected<LoopReading, int> CountLoopHere(const EventCode& code, LoopPart part,
                                              std::uint64_t iterations);

// Tests whether the event counts what `part` names. Counts two loops of different length and checks
// the difference, which excludes the cost of starting and stopping. Returns the error number when
// the event does not open. Takes less than a millisecond.
std::expected<SelfTest, int> TestByLoop(const EventCode& code, LoopPart part,
                                        const CountLoop& count = CountLoopHere);

}  // namespace tare::pmu
