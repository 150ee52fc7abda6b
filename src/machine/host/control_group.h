// control_group.h: how much processor time and memory the kernel grants this process at most.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "machine/host/system_files.h"

namespace tare::host {

// Limits of the group of this process and of all groups above it; the tightest counts. Absent
// means not limited.
struct ControlGroup {
  std::optional<double> cores;  // processor time per second of real time
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> throttled;  // periods in which the limit stopped the group
};

// Both versions of control groups, also mixed. The reason comes back when the kernel has none.
Reading<ControlGroup> ReadControlGroup(const SystemFiles& files);

// "max 100000" or "150000 100000", as in cpu.max; nothing for "max" and for what is no limit.
std::optional<double> ParseCpuMax(std::string_view text);

}  // namespace tare::host
