// pmu_event.h: events that are known by name without a processor-specific table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tare::pmu {

// The processor counts hardware and cache events; the kernel counts software events.
enum class EventClass { kHardware, kCache, kSoftware };

std::string_view Name(EventClass event_class);

// The fields of perf_event_attr; numbers as in <linux/perf_event.h>.
struct EventCode {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  bool user = true;     // count in user mode
  bool kernel = false;  // count in kernel mode
};

// The workload that certainly causes the event, for its self-test.
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
