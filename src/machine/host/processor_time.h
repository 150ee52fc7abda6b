// processor_time.h: where the processors' time went, by the kernel's own account.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "machine/host/system_files.h"

namespace tare::host {

// Ticks of one processor, or of all together, since the start of the machine.
struct ProcessorTimes {
  std::uint64_t busy = 0;   // user, nice, system and both kinds of interrupts
  std::uint64_t idle = 0;   // idle and waiting for input or output
  std::uint64_t steal = 0;  // wanted, and given to somebody else by the hypervisor

  std::uint64_t Total() const { return busy + idle + steal; }
};

// The line of /proc/stat that begins with `label`: "cpu" for all processors, "cpu3" for one.
// Nothing when there is no such line with at least the four oldest columns.
std::optional<ProcessorTimes> ParseProcStat(std::string_view text, std::string_view label = "cpu");

Reading<ProcessorTimes> ReadProcessorTimes(const SystemFiles& files);

// What passed from `before` to `after`. The kernel's idle counts are known to step back now and
// then: such a column counts 0.
ProcessorTimes Between(const ProcessorTimes& before, const ProcessorTimes& after);

// Shares of the total, 0 to 1; nothing when no tick passed.
std::optional<double> StealShare(const ProcessorTimes& times);
std::optional<double> BusyShare(const ProcessorTimes& times);

}  // namespace tare::host
