// native_summary.h: the events of several native runs as one mean each, and cycles per instruction.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/measured.h"
#include "measure/count/count_program.h"

namespace tare::count {

// The counts of one event in all native runs.
struct NativeEvent {
  std::string engine = {};  // "requested", "kernel", "hardware", "system"
  std::string event = {};
  std::string unit = {};
  std::vector<double> values = {};  // one per run; empty: absent
  bool estimated = false;           // multiplexed in at least one run
  std::string doubt = {};           // why the counts are doubtful although they were measured
  std::string absence = {};         // why there are no values
};

// In the order requested, kernel, hardware, system; the last is the energy in joules. An event that
// has no count in one of the runs is absent. Page faults are an event of the kernel only.
std::vector<NativeEvent> NativeEventsOf(std::span<const NativeCounts> runs);

// The hardware event of this name with the counts after correction, where there is one.
std::optional<NativeEvent> HardwareEvent(std::span<const NativeCounts> runs,
                                         const std::string& metric);

// A count that is the same in all of several runs, or the mean with Student's interval. A single
// run gives a doubtful number.
Measured MeanOfRuns(const NativeEvent& event, double confidence);

// Standard deviation and coefficient of variation; absent for one run.
struct Spread {
  Measured standard_deviation;
  Measured variation;
};
Spread SpreadOfRuns(const NativeEvent& event);

struct CycleRatios {
  Measured cpi;  // cycles per instruction
  Measured ipc;  // instructions per cycle
};

// Means of the ratios of each run with Student's interval. Absent with the reason unless both were
// counted in each run. `cycles` and `instructions` have as many values as there are runs.
CycleRatios CycleRatiosOf(const NativeEvent& cycles, const NativeEvent& instructions,
                          double confidence);

// What the processor's clock and its interrupts did during the runs, per second of the program's
// processor time: means of the rates of each run with Student's interval. Absent with the reason
// where the event or the time was not counted.
struct NativeRates {
  Measured clock_mhz;              // from cycles
  Measured interrupts_per_second;  // taken while the program ran
};
NativeRates RatesOf(std::span<const NativeCounts> runs, double confidence);

}  // namespace tare::count
