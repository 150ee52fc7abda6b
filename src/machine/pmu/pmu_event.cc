// pmu_event.cc: the table of events.
#include "machine/pmu/pmu_event.h"

#include <linux/perf_event.h>

#include <array>

namespace tare::pmu {
namespace {

using enum Workload;

constexpr std::uint64_t CacheRead(std::uint64_t cache, std::uint64_t result) {
  return cache | (std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << 8) | (result << 16);
}

constexpr EventRow Hardware(std::string_view name, std::uint64_t config, Workload workload) {
  return {name, EventClass::kHardware, PERF_TYPE_HARDWARE, config, workload};
}

constexpr EventRow Reads(std::string_view name, std::uint64_t cache, Workload workload) {
  return {name, EventClass::kCache, PERF_TYPE_HW_CACHE,
          CacheRead(cache, PERF_COUNT_HW_CACHE_RESULT_ACCESS), workload};
}

constexpr EventRow ReadMisses(std::string_view name, std::uint64_t cache) {
  return {name, EventClass::kCache, PERF_TYPE_HW_CACHE,
          CacheRead(cache, PERF_COUNT_HW_CACHE_RESULT_MISS), kNone};
}

constexpr EventRow Software(std::string_view name, std::uint64_t config, Workload workload) {
  return {name, EventClass::kSoftware, PERF_TYPE_SOFTWARE, config, workload};
}

constexpr auto kEvents = std::to_array<EventRow>({
    Hardware("cycles", PERF_COUNT_HW_CPU_CYCLES, kSpin),
    Hardware("instructions", PERF_COUNT_HW_INSTRUCTIONS, kSpin),
    Hardware("cache-references", PERF_COUNT_HW_CACHE_REFERENCES, kNone),
    Hardware("cache-misses", PERF_COUNT_HW_CACHE_MISSES, kNone),
    Hardware("branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, kSpin),
    Hardware("branch-misses", PERF_COUNT_HW_BRANCH_MISSES, kNone),
    Hardware("ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES, kSpin),
    Hardware("bus-cycles", PERF_COUNT_HW_BUS_CYCLES, kNone),
    Hardware("stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, kNone),
    Hardware("stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND, kNone),
    Reads("L1-dcache-loads", PERF_COUNT_HW_CACHE_L1D, kSpin),
    ReadMisses("L1-dcache-load-misses", PERF_COUNT_HW_CACHE_L1D),
    ReadMisses("L1-icache-load-misses", PERF_COUNT_HW_CACHE_L1I),
    Reads("LLC-loads", PERF_COUNT_HW_CACHE_LL, kNone),
    ReadMisses("LLC-load-misses", PERF_COUNT_HW_CACHE_LL),
    Reads("dTLB-loads", PERF_COUNT_HW_CACHE_DTLB, kNone),
    ReadMisses("dTLB-load-misses", PERF_COUNT_HW_CACHE_DTLB),
    Reads("iTLB-loads", PERF_COUNT_HW_CACHE_ITLB, kNone),
    ReadMisses("iTLB-load-misses", PERF_COUNT_HW_CACHE_ITLB),
    Software("cpu-clock", PERF_COUNT_SW_CPU_CLOCK, kSpin),
    Software("task-clock", PERF_COUNT_SW_TASK_CLOCK, kSpin),
    Software("page-faults", PERF_COUNT_SW_PAGE_FAULTS, kTouchPages),
    Software("minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN, kTouchPages),
    Software("major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ, kNone),
    Software("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, kSleep),
    Software("cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS, kMigrate),
    Software("alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS, kNone),
    Software("emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS, kNone),
});

}  // namespace

std::string_view Name(EventClass event_class) {
  switch (event_class) {
    case EventClass::kHardware:
      return "hardware";
    case EventClass::kCache:
      return "cache";
    case EventClass::kSoftware:
      return "software";
  }
  return "hardware";
}

std::span<const EventRow> KnownEvents() { return kEvents; }

}  // namespace tare::pmu
