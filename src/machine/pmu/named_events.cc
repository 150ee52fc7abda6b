// named_events.cc: the table of portable names, with the names of Intel, AMD and ARM for each.
#include "machine/pmu/named_events.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "machine/pmu/event_names.h"

namespace tare::pmu {
namespace {

// Names of a processor come before the kernel's generic ones where the generic event counts
// something else on some processors, such as loads alone.
constexpr auto kL1dAccesses = std::to_array<std::string_view>(
    {"MEM_INST_RETIRED:ANY", "DATA_CACHE_ACCESSES", "L1D_CACHE", "L1D_CACHE_ACCESS"});
constexpr auto kL1dMisses = std::to_array<std::string_view>(
    {"L1D:REPLACEMENT", "L1D_CACHE_REFILL", "L1-dcache-load-misses"});
constexpr auto kL1iAccesses =
    std::to_array<std::string_view>({"L1I_CACHE", "L1I_CACHE_ACCESS", "L1-icache-loads"});
constexpr auto kL1iMisses = std::to_array<std::string_view>(
    {"ICACHE_64B:IFTAG_MISS", "ICACHE:MISSES", "L1I_CACHE_REFILL", "L1-icache-load-misses"});
constexpr auto kL2dAccesses = std::to_array<std::string_view>(
    {"L2_RQSTS:ALL_DEMAND_DATA_RD", "L2D_CACHE", "L2D_CACHE_ACCESS"});
constexpr auto kL2dMisses = std::to_array<std::string_view>(
    {"L2_RQSTS:DEMAND_DATA_RD_MISS", "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C",
     "L2D_CACHE_REFILL"});
constexpr auto kL2iAccesses = std::to_array<std::string_view>({"L2_RQSTS:ALL_CODE_RD"});
constexpr auto kL2iMisses = std::to_array<std::string_view>(
    {"L2_RQSTS:CODE_RD_MISS", "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:IC_FILL_MISS"});
constexpr auto kL3Accesses = std::to_array<std::string_view>(
    {"LONGEST_LAT_CACHE:REFERENCE", "L3D_CACHE", "LL_CACHE_RD", "LLC-loads", "cache-references"});
constexpr auto kL3Misses =
    std::to_array<std::string_view>({"LONGEST_LAT_CACHE:MISS", "L3D_CACHE_REFILL",
                                     "LL_CACHE_MISS_RD", "LLC-load-misses", "cache-misses"});
constexpr auto kDtlbMisses = std::to_array<std::string_view>(
    {"DTLB_LOAD_MISSES:WALK_COMPLETED", "L1D_TLB_REFILL", "dTLB-load-misses"});
constexpr auto kItlbMisses = std::to_array<std::string_view>(
    {"ITLB_MISSES:WALK_COMPLETED", "L1I_TLB_REFILL", "iTLB-load-misses"});
constexpr auto kStalled = std::to_array<std::string_view>(
    {"CYCLE_ACTIVITY:STALLS_TOTAL", "CYCLE_ACTIVITY:CYCLES_NO_EXECUTE", "STALL",
     "stalled-cycles-backend", "STALL_BACKEND"});
constexpr auto kStalledFrontend =
    std::to_array<std::string_view>({"stalled-cycles-frontend", "STALL_FRONTEND"});
constexpr auto kConditional =
    std::to_array<std::string_view>({"BR_INST_RETIRED:COND", "BR_INST_RETIRED:CONDITIONAL",
                                     "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS"});
constexpr auto kConditionalMisses =
    std::to_array<std::string_view>({"BR_MISP_RETIRED:COND", "BR_MISP_RETIRED:CONDITIONAL",
                                     "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS_MISPREDICTED"});

constexpr auto kNamedEvents = std::to_array<NamedEvent>({
    {"l1d-accesses", "PAPI_L1_DCA", "loads and stores that look up the L1 data cache",
     LoopPart::kNothing, kL1dAccesses},
    {"l1d-misses", "PAPI_L1_DCM", "lines that were not in the L1 data cache", LoopPart::kNothing,
     kL1dMisses},
    {"l1i-accesses", "PAPI_L1_ICA", "fetches that look up the L1 instruction cache",
     LoopPart::kNothing, kL1iAccesses},
    {"l1i-misses", "PAPI_L1_ICM", "fetches that miss the L1 instruction cache", LoopPart::kNothing,
     kL1iMisses},
    {"l2-data-accesses", "PAPI_L2_DCA", "data accesses that reach the L2 cache", LoopPart::kNothing,
     kL2dAccesses},
    {"l2-data-misses", "PAPI_L2_DCM", "data accesses that miss the L2 cache", LoopPart::kNothing,
     kL2dMisses},
    {"l2-instruction-accesses", "PAPI_L2_ICA", "fetches that reach the L2 cache",
     LoopPart::kNothing, kL2iAccesses},
    {"l2-instruction-misses", "PAPI_L2_ICM", "fetches that miss the L2 cache", LoopPart::kNothing,
     kL2iMisses},
    {"l3-accesses", "PAPI_L3_TCA", "accesses that reach the last-level cache", LoopPart::kNothing,
     kL3Accesses},
    {"l3-misses", "PAPI_L3_TCM", "accesses that miss the last-level cache", LoopPart::kNothing,
     kL3Misses},
    {"dtlb-misses", "PAPI_TLB_DM", "data accesses that miss the TLB", LoopPart::kNothing,
     kDtlbMisses},
    {"itlb-misses", "PAPI_TLB_IM", "fetches that miss the TLB", LoopPart::kNothing, kItlbMisses},
    {"stalled-cycles", "PAPI_RES_STL", "cycles without progress in the back end",
     LoopPart::kNothing, kStalled},
    {"frontend-stalled-cycles", "PAPI_STL_ICY", "cycles in which the front end delivers nothing",
     LoopPart::kNothing, kStalledFrontend},
    {"conditional-branches", "PAPI_BR_CN", "conditional branches", LoopPart::kBranches,
     kConditional},
    {"conditional-mispredictions", "PAPI_BR_MSP", "mispredicted conditional branches",
     LoopPart::kMispredictions, kConditionalMisses},
});

bool SameLetters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

ProgramEvent Requested(const std::string& name, const ChosenMetric& chosen) {
  ProgramEvent event = chosen.event.value_or(ProgramEvent{});
  event.name = name;
  event.absence = chosen.absence;
  return event;
}

}  // namespace

std::span<const NamedEvent> NamedEvents() { return kNamedEvents; }

const NamedEvent* FindNamedEvent(std::string_view name) {
  const auto found = std::ranges::find_if(kNamedEvents, [&](const NamedEvent& named) {
    return SameLetters(named.name, name) || SameLetters(named.papi, name);
  });
  return found == kNamedEvents.end() ? nullptr : &*found;
}

ChosenMetric ChooseNamedEvent(const NamedEvent& named, const Permissions& permissions,
                              const CountLoop& count, const OpenEvent& open) {
  const MetricRow row{named.name, "", EventClass::kHardware, named.part, named.candidates};
  return ChooseMetrics({&row, 1}, permissions, count, open).front();
}

Result<ProgramEvent> EventByName(const std::string& name, const Permissions& permissions,
                                 const CountLoop& count, const OpenEvent& open) {
  if (const NamedEvent* named = FindNamedEvent(name)) {
    return Requested(name, ChooseNamedEvent(*named, permissions, count, open));
  }
  const auto resolved = ResolveEvent(name);
  if (!resolved) {
    // "loads", "stores", "interrupts": metrics of the engine `hardware`.
    const auto rows = HardwareMetrics();
    const auto row = std::ranges::find(rows, std::string_view(name), &MetricRow::metric);
    if (row == rows.end()) return std::unexpected(resolved.error());
    return Requested(name, ChooseMetrics({&*row, 1}, permissions, count, open).front());
  }
  const bool software = resolved->code.type == PERF_TYPE_SOFTWARE;
  return ProgramEvent{.name = name,
                      .code = resolved->code,
                      .event_class = software ? EventClass::kSoftware : EventClass::kHardware};
}

}  // namespace tare::pmu
