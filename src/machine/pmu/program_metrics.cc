// program_metrics.cc: the table of metrics, and the selection of an event for each.
#include "machine/pmu/program_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "machine/pmu/event_names.h"

namespace tare::pmu {
namespace {

using Names = std::span<const std::string_view>;

// Generic names come first, because the kernel knows the processor better than a table; names of
// Intel, AMD and ARM follow. The loop test finds the one that counts correctly here, so an
// additional name does no harm.
constexpr auto kInstructions = std::to_array<std::string_view>(
    {"instructions", "INST_RETIRED:ANY_P", "RETIRED_INSTRUCTIONS", "INST_RETIRED"});
constexpr auto kCycles = std::to_array<std::string_view>(
    {"cycles", "CPU_CLK_UNHALTED:THREAD_P", "CYCLES_NOT_IN_HALT", "CPU_CYCLES"});
constexpr auto kBranches = std::to_array<std::string_view>(
    {"branch-instructions", "BR_INST_RETIRED:ALL_BRANCHES", "RETIRED_BRANCH_INSTRUCTIONS",
     "BR_RETIRED", "PC_WRITE_RETIRED"});
constexpr auto kBranchMisses = std::to_array<std::string_view>(
    {"branch-misses", "BR_MISP_RETIRED:ALL_BRANCHES", "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS",
     "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", "BR_MIS_PRED_RETIRED", "BR_MIS_PRED"});
constexpr auto kLoads = std::to_array<std::string_view>(
    {"MEM_INST_RETIRED:ALL_LOADS", "MEM_UOPS_RETIRED:ALL_LOADS", "MEM_UOP_RETIRED:ANY_LOADS",
     "MEM_INST_RETIRED:LOADS", "LS_DISPATCH:LD_DISPATCH", "LD_RETIRED", "LD_SPEC", "MEM_ACCESS_RD",
     "L1-dcache-loads"});
constexpr auto kStores = std::to_array<std::string_view>(
    {"MEM_INST_RETIRED:ALL_STORES", "MEM_UOPS_RETIRED:ALL_STORES", "MEM_UOP_RETIRED:ANY_STORES",
     "MEM_INST_RETIRED:STORES", "LS_DISPATCH:STORE_DISPATCH", "ST_RETIRED", "ST_SPEC",
     "MEM_ACCESS_WR", "L1-DCACHE-STORES"});
constexpr auto kInterrupts = std::to_array<std::string_view>(
    {"HW_INTERRUPTS:RECEIVED", "INTERRUPT_TAKEN", "INTERRUPTS_TAKEN"});
constexpr auto kTaskClock = std::to_array<std::string_view>({"task-clock"});
constexpr auto kPageFaults = std::to_array<std::string_view>({"page-faults"});
constexpr auto kMinorFaults = std::to_array<std::string_view>({"minor-faults"});
constexpr auto kMajorFaults = std::to_array<std::string_view>({"major-faults"});
constexpr auto kSwitches = std::to_array<std::string_view>({"context-switches"});
constexpr auto kMigrations = std::to_array<std::string_view>({"cpu-migrations"});
constexpr auto kAlignment = std::to_array<std::string_view>({"alignment-faults"});
constexpr auto kEmulation = std::to_array<std::string_view>({"emulation-faults"});

constexpr std::string_view kInstructionsMetric = "instructions";
constexpr std::string_view kCyclesMetric = "cycles";
constexpr std::string_view kInterruptsMetric = "interrupts";

constexpr MetricRow OfProcessor(std::string_view metric, LoopPart part, Names candidates) {
  return {metric, "", EventClass::kHardware, part, candidates};
}

constexpr MetricRow OfKernel(std::string_view metric, Names candidates,
                             std::string_view unit = "") {
  return {metric, unit, EventClass::kSoftware, LoopPart::kNothing, candidates};
}

constexpr auto kHardwareMetrics = std::to_array<MetricRow>({
    OfProcessor(kInstructionsMetric, LoopPart::kInstructions, kInstructions),
    OfProcessor(kCyclesMetric, LoopPart::kCycles, kCycles),
    OfProcessor("branches", LoopPart::kBranches, kBranches),
    OfProcessor("branch-misses", LoopPart::kMispredictions, kBranchMisses),
    OfProcessor("loads", LoopPart::kLoads, kLoads),
    OfProcessor("stores", LoopPart::kStores, kStores),
    OfKernel("page-faults", kPageFaults),
    OfProcessor(kInterruptsMetric, LoopPart::kNothing, kInterrupts),
});

constexpr auto kKernelMetrics = std::to_array<MetricRow>({
    OfKernel("task-clock", kTaskClock, "ns"),
    OfKernel("page-faults", kPageFaults),
    OfKernel("minor-faults", kMinorFaults),
    OfKernel("major-faults", kMajorFaults),
    OfKernel("context-switches", kSwitches),
    OfKernel("cpu-migrations", kMigrations),
    OfKernel("alignment-faults", kAlignment),
    OfKernel("emulation-faults", kEmulation),
});

const EventRow* KnownRow(std::string_view name) {
  const auto known = KnownEvents();
  const auto row = std::ranges::find(known, name, &EventRow::name);
  return row == known.end() ? nullptr : &*row;
}

EventCode CodeOf(const EventRow& row) {
  EventCode code;
  code.type = row.type;
  code.config = row.config;
  return code;
}

// The code and the full name of an event; absent when this processor has no event of that name.
std::optional<ResolvedEvent> Find(std::string_view name) {
  if (const EventRow* row = KnownRow(name)) {
    return ResolvedEvent{.code = CodeOf(*row), .full_name = std::string(name)};
  }
  auto resolved = ResolveEvent(name);
  if (!resolved) return std::nullopt;
  return std::move(*resolved);
}

class Chooser {
 public:
  Chooser(const Permissions& permissions, const CountLoop& count, const OpenEvent& open)
      : permissions_(permissions), count_(count), open_(open) {}

  ChosenMetric Choose(const MetricRow& row) const {
    ChosenMetric chosen;
    chosen.row = row;
    for (const std::string_view name : row.candidates) {
      const auto event = Find(name);
      if (!event) continue;
      std::string refusal;
      const SelfTest test = row.event_class == EventClass::kSoftware
                                ? TestKernelEvent(name, refusal)
                                : TestProcessorEvent(row.part, event->code, refusal);
      if (refusal.empty()) {
        // A tested event is better than one whose counter was busy.
        const bool better = !chosen.event || (chosen.test.works == Works::kNotTested &&
                                              test.works == Works::kCounts);
        if (better) Take(chosen, *event, test);
        if (test.works == Works::kCounts || row.part == LoopPart::kNothing) return chosen;
      } else if (!chosen.event && chosen.absence.empty()) {
        // Most users would try the first candidate, so its reason is the most useful.
        chosen.absence = std::move(refusal);
        chosen.test = test;
      }
    }
    if (!chosen.event && chosen.absence.empty()) {
      chosen.absence =
          "no event for it is known on this processor; use another machine, or "
          "count with --engine valgrind";
    }
    return chosen;
  }

 private:
  static void Take(ChosenMetric& chosen, const ResolvedEvent& event, const SelfTest& test) {
    chosen.event = ProgramEvent{.name = std::string(chosen.row.metric),
                                .code = event.code,
                                .event_class = chosen.row.event_class};
    chosen.event_name = event.full_name;
    chosen.test = test;
    chosen.absence.clear();
  }

  std::string Reason(int error_number, EventClass event_class, bool with_kernel) const {
    return AbsenceReason(error_number, event_class, with_kernel, permissions_);
  }

  SelfTest TestProcessorEvent(LoopPart part, const EventCode& code, std::string& refusal) const {
    if (part == LoopPart::kNothing) {
      const int descriptor = open_(code);
      if (!EventHandle(descriptor).IsOpen()) {
        refusal = Reason(-descriptor, EventClass::kHardware, false);
      }
    }
    const auto test = TestByLoop(code, part, count_);
    if (!test) {
      refusal = Reason(test.error(), EventClass::kHardware, false);
      return {};
    }
    if (test->works == Works::kCountsNothing || test->works == Works::kCountsWrong) {
      refusal = fmt::format("the counter fails its self-test: {}", test->reason);
    }
    return *test;
  }

  // Whether the event may count in kernel mode is determined when it is opened for the program.
  SelfTest TestKernelEvent(std::string_view name, std::string& refusal) const {
    const EventRow* row = KnownRow(name);
    CHECK(row != nullptr);
    EventCode code = CodeOf(*row);
    code.kernel = true;
    int descriptor = open_(code);
    if (descriptor == -EACCES || descriptor == -EPERM) {
      code.kernel = false;
      descriptor = open_(code);
    }
    const EventHandle event(descriptor);
    if (!event.IsOpen()) {
      refusal = Reason(-descriptor, EventClass::kSoftware, false);
      return {};
    }
    SelfTest test = TestEvent(*row, event);
    if (test.works == Works::kCountsNothing) {
      refusal = code.kernel
                    ? "the kernel's event fails its self-test: " + test.reason
                    : "it happens in kernel mode: " + Reason(EACCES, EventClass::kSoftware, true);
    }
    return test;
  }

  const Permissions& permissions_;
  const CountLoop& count_;
  const OpenEvent& open_;
};

// A program that ran has executed instructions and used cycles.
bool CannotBeZero(std::string_view metric) {
  return metric == kInstructionsMetric || metric == kCyclesMetric;
}

void CorrectInstructions(std::vector<MetricCount>& counts) {
  const auto find = [&](std::string_view metric) {
    return std::ranges::find(counts, metric, &MetricCount::metric);
  };
  const auto instructions = find(kInstructionsMetric);
  const auto interrupts = find(kInterruptsMetric);
  if (instructions == counts.end() || interrupts == counts.end()) return;
  const ProgramCount& raw = instructions->count;
  const ProgramCount& added = interrupts->count;
  if (!raw.value || !added.value || raw.multiplexed || added.multiplexed) return;
  if (*added.value <= *raw.value) instructions->corrected = *raw.value - *added.value;
}

}  // namespace

std::span<const MetricRow> HardwareMetrics() { return kHardwareMetrics; }

std::span<const MetricRow> KernelMetrics() { return kKernelMetrics; }

std::vector<ChosenMetric> ChooseMetrics(std::span<const MetricRow> rows,
                                        const Permissions& permissions, const CountLoop& count,
                                        const OpenEvent& open) {
  std::vector<ChosenMetric> metrics;
  const Chooser chooser(permissions, count, open);
  const auto choose = [&] {
    for (const MetricRow& row : rows) metrics.push_back(chooser.Choose(row));
  };
  // Some tests migrate their thread to another processor.
  try {
    std::thread(choose).join();
  } catch (const std::system_error&) {
    choose();
  }
  return metrics;
}

ProgramEventPlan MakePlan(std::span<const ChosenMetric> metrics) {
  ProgramEventPlan plan;
  for (const ChosenMetric& chosen : metrics) {
    if (chosen.event) plan.events.push_back(*chosen.event);
  }
  return plan;
}

std::vector<MetricCount> CountsOf(std::span<const ChosenMetric> metrics,
                                  const std::vector<ProgramCount>& counts) {
  std::vector<MetricCount> all;
  std::size_t next = 0;
  for (const ChosenMetric& chosen : metrics) {
    MetricCount count;
    count.metric = chosen.row.metric;
    count.unit = chosen.row.unit;
    count.event = chosen.event_name;
    count.test = chosen.test;
    if (chosen.event) {
      CHECK(next < counts.size() && counts[next].name == count.metric);
      count.count = counts[next++];
    } else {
      count.count.name = count.metric;
      count.count.absence = chosen.absence;
    }
    if (count.count.value == 0U && CannotBeZero(chosen.row.metric)) {
      count.count.value.reset();
      count.count.scaled.reset();
      count.count.absence = "the counter stayed at 0 while the program ran";
    }
    all.push_back(std::move(count));
  }
  CHECK(next == counts.size());
  CorrectInstructions(all);
  return all;
}

}  // namespace tare::pmu
