// other_programs.h: how much other programs disturbed a measurement.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/caveat.h"
#include "machine/host/processor_time.h"

namespace tare::host {

// What the processors did during a measurement, in processors: 1 is one processor all the time.
struct ProcessorUse {
  double all = 0;     // that the machine has
  double others = 0;  // used by programs that the measurement did not start
  double stolen = 0;
};

// `own_ticks` is the processor time of this process and of the children it waited for. Nothing if
// no tick passed.
std::optional<ProcessorUse> UseOf(const ProcessorTimes& passed, double own_ticks,
                                  double processors);

// Whether others used more than a tenth of all processors, and the hypervisor more than a fiftieth.
bool IsBusy(double others_share);
bool IsStolen(double stolen_share);

// kBusyMachine, kSteal.
std::vector<Caveat> DisturbancesOf(const ProcessorUse& use);

// Observes from its construction on.
class OtherPrograms {
 public:
  OtherPrograms();

  // What was used beside this process and a program that used so much processor time, whoever
  // started it. Nothing where /proc/stat cannot be read, and for less than a tenth of a second of
  // processor time.
  std::optional<ProcessorUse> Beside(double program_seconds) const;

  // Empty where /proc/stat cannot be read, and for less than half a second of processor time, which
  // the kernel accounts for in ticks of 10 ms.
  std::vector<Caveat> Disturbances() const;

 private:
  std::optional<ProcessorUse> Use(double own_seconds, std::uint64_t min_ticks) const;

  std::optional<ProcessorTimes> before_;
  double self_before_ = 0;
  double children_before_ = 0;
};

}  // namespace tare::host
