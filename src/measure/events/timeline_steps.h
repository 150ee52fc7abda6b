// timeline_steps.h: an event trace as properly nested steps, for exports.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "format/event_reader.h"

namespace tare::events {

enum class StepKind { kEnter, kLeave, kInstant, kValue };

struct TimelineStep {
  StepKind kind = StepKind::kInstant;
  std::string_view name;  // valid during the call
  std::uint32_t thread = 0;
  std::uint64_t time_ns = 0;  // never decreases within a thread
  std::int64_t value = 0;
  bool of_system = false;  // an instant with a value
};

// Events of the system are instants. Spans become enter and leave. Ends without a begin are left
// out; spans without an end are left at the last time of their thread. Blocks have no times: a run
// of blocks of one function becomes enter and leave, and its time is the number of instructions
// that its thread executed before, as nanoseconds. With `correct`, the calibrated cost of all
// earlier events of the thread is taken from each time.
Result<void> ForEachStep(const std::filesystem::path& path, bool correct,
                         const std::function<void(const TimelineStep&)>& visit);

}  // namespace tare::events
