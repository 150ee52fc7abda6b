// program_metrics.h: the metrics of the engines `hardware` and `kernel`, and their events here.
//
//   const auto metrics = ChooseMetrics(HardwareMetrics(), permissions);     // once per process
//   auto events = ProgramEvents::Attach(pid, MakePlan(metrics), permissions);
//   ... execve, run, wait ...
//   for (const MetricCount& count : CountsOf(metrics, events->Read())) ...
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/pmu/event_self_test.h"
#include "machine/pmu/loop_count.h"
#include "machine/pmu/program_events.h"

namespace tare::pmu {

struct MetricRow {
  std::string_view metric;  // "instructions"
  std::string_view unit;    // "" for plain numbers, "ns"
  EventClass event_class;
  LoopPart part;  // the known loop's operations of this kind; kNothing: the loop cannot test it
  // Names in order of preference, for KnownEvents() or libpfm4.
  std::span<const std::string_view> candidates;
};

// instructions, cycles, branches, branch-misses, loads, stores, page-faults, interrupts.
std::span<const MetricRow> HardwareMetrics();
// task-clock, page-faults, minor-faults, major-faults, context-switches, cpu-migrations,
// alignment-faults, emulation-faults.
std::span<const MetricRow> KernelMetrics();

struct ChosenMetric {
  MetricRow row;
  std::optional<ProgramEvent> event;  // absent: no candidate is available here
  std::string event_name;             // as the kernel or libpfm4 spells it
  SelfTest test;
  std::string absence;  // why there is no event
};

// Tries the candidates of each metric, tests them with loops of known counts and takes the first
// that passes. Rejects an event that counts wrongly. Takes some ten milliseconds.
std::vector<ChosenMetric> ChooseMetrics(std::span<const MetricRow> rows,
                                        const Permissions& permissions,
                                        const CountLoop& count = CountLoopHere,
                                        const OpenEvent& open = OpenForThisThread);

// A plan with the events of the chosen metrics. Defaults as in ProgramEventPlan.
ProgramEventPlan MakePlan(std::span<const ChosenMetric> metrics);

struct MetricCount {
  std::string metric;
  std::string unit;
  std::string event;  // empty when none was found
  ProgramCount count;
  SelfTest test;
  // x86 instructions minus one per interrupt, where interrupts were counted.
  std::optional<std::uint64_t> corrected;
};

// `counts` is the result of Read() for MakePlan(metrics). One row per metric, including absent
// ones.
std::vector<MetricCount> CountsOf(std::span<const ChosenMetric> metrics,
                                  const std::vector<ProgramCount>& counts);

}  // namespace tare::pmu
