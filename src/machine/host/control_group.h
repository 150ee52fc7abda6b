// control_group.h: the processor time and memory limits that control groups set for this process.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "machine/host/system_files.h"

namespace tare::host {

// The tightest limits of this process's control group and all its ancestors. Absent: unlimited.
struct ControlGroup {
  std::optional<double> cores;  // CPU seconds per second of wall time
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> throttled;  // periods in which the group was throttled
};

// Reads control groups of version 1, version 2 and hybrid setups (cgroups(7)). Returns the reason
// when the kernel has none.
Reading<ControlGroup> ReadControlGroup(const SystemFiles& files);

// Parses cpu.max: "max 100000" or "150000 100000". Returns nothing for "max" and for invalid text.
std::optional<double> ParseCpuMax(std::string_view text);

}  // namespace tare::host
