// pmu_event.h: the events that this program knows by name without any table of a processor.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tare::pmu {

// Who counts: the processor (hardware, cache) or the kernel (software).
enum class EventClass { kHardware, kCache, kSoftware };

std::string_view Name(EventClass event_class);

// What perf_event_open needs to know; numbers as in <linux/perf_event.h>.
struct EventCode {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  bool user = true;     // count in user mode
  bool kernel = false;  // count in kernel mode
};

// What makes an event count for sure, so that it can be tested.
enum class Workload { kNone, kSpin, kTouchPages, kSleep, kMigrate };

struct EventRow {
  std::string_view name;  // as perf(1) spells it
  EventClass event_class;
  std::uint32_t type;
  std::uint64_t config;
  Workload workload;
};

std::span<const EventRow> KnownEvents();

}  // namespace tare::pmu
