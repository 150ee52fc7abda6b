// program_metrics.h: what the engines `hardware` and `kernel` count, and by which events here.
//
//   const auto choice = ChooseMetrics(HardwareMetrics(), permissions);     // once per process
//   auto events = ProgramEvents::Attach(pid, MakePlan(choice), permissions);
//   ... execve, run, wait ...
//   for (const MetricCount& count : CountsOf(choice, events->Read())) ...
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
  LoopPart part;  // what the known loop has of it; kNothing: cannot be tested by the loop
  // Names in the order of preference, for KnownEvents() or libpfm4.
  std::span<const std::string_view> candidates;
};

// instructions, cycles, branches, branch-misses, loads, stores, page-faults, interrupts.
std::span<const MetricRow> HardwareMetrics();
// task-clock, page-faults, minor-faults, major-faults, context-switches, cpu-migrations,
// alignment-faults, emulation-faults.
std::span<const MetricRow> KernelMetrics();

struct ChosenMetric {
  MetricRow row;
  std::optional<ProgramEvent> event;  // absent: none of the candidates can be had here
  std::string event_name;             // as the kernel or libpfm4 spells it
  SelfTest test;
  std::string absence;  // why there is no event
};

// Tries the candidates of each metric on the calling thread, tests them by loops of known counts
// and takes the first that passes. An event that counts wrongly is not taken. Some ten
// milliseconds.
std::vector<ChosenMetric> ChooseMetrics(std::span<const MetricRow> rows,
                                        const Permissions& permissions,
                                        const CountLoop& count = CountLoopHere,
                                        const OpenEvent& open = OpenForThisThread);

// The plan that holds the events of the choice. Defaults as in ProgramEventPlan.
ProgramEventPlan MakePlan(std::span<const ChosenMetric> choice);

struct MetricCount {
  std::string metric;
  std::string unit;
  std::string event;  // empty when none was found
  ProgramCount count;
  SelfTest test;
  // Instructions of x86 processors less one for each interrupt, where interrupts were counted.
  std::optional<std::uint64_t> corrected;
};

// `counts` as Read() gave them for MakePlan(choice). One row per metric, absent ones included.
std::vector<MetricCount> CountsOf(std::span<const ChosenMetric> choice,
                                  const std::vector<ProgramCount>& counts);

}  // namespace tare::pmu
