// processor_time.h: how the processors spent their time, as the kernel accounts for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "machine/host/system_files.h"

namespace tare::host {

// Clock ticks of one processor, or the sum over all, since boot.
struct ProcessorTimes {
  std::uint64_t busy = 0;   // user, nice, system, irq and softirq
  std::uint64_t idle = 0;   // idle and iowait
  std::uint64_t steal = 0;  // stolen time: the hypervisor ran other virtual machines

  std::uint64_t Total() const { return busy + idle + steal; }
};

// Parses the line of /proc/stat that begins with `label`: "cpu" for all processors, "cpu3" for one.
// Returns nothing without a line that has at least the four oldest columns.
std::optional<ProcessorTimes> ParseProcStat(std::string_view text, std::string_view label = "cpu");

Reading<ProcessorTimes> ReadProcessorTimes(const SystemFiles& files);

// The time from `before` to `after`. The kernel's idle counts sometimes decrease, as
// proc(5) notes for iowait; such a column counts as 0.
ProcessorTimes Between(const ProcessorTimes& before, const ProcessorTimes& after);

// Shares of the total, from 0 to 1; nothing when no tick passed.
std::optional<double> StealShare(const ProcessorTimes& times);
std::optional<double> BusyShare(const ProcessorTimes& times);

}  // namespace tare::host
