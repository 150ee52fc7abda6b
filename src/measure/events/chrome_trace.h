// chrome_trace.h: writes an event trace as Chrome's trace JSON, for Perfetto and speedscope.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace tare::events {

// Spans become complete events, events instants, values counters. Blocks have no times: each run of
// blocks of one function becomes an event whose time is the number of instructions executed by its
// thread before it, in nanoseconds. With `correct`, the calibrated cost of recording is taken out
// of spans. Returns the number of events written. Fails if the trace holds more than
// kMaxChromeEvents.
Result<std::uint64_t> WriteChromeTrace(const std::filesystem::path& from,
                                       const std::filesystem::path& to, bool correct);

inline constexpr std::uint64_t kMaxChromeEvents = 20'000'000;

}  // namespace tare::events
