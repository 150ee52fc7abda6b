// pmu.h: performance monitoring units as the kernel lists them, and reading them from user mode.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/host/system_files.h"
#include "machine/pmu/event_count.h"

namespace tare::pmu {

// Core: counts what a core does. Other: uncore, energy, tracing hardware. Kernel: no hardware
// behind it (software, tracepoint, probes).
enum class PmuKind { kCore, kOther, kKernel };

struct Pmu {
  std::string name;  // "cpu", "cpu_core", "armv8_pmuv3_0", "uncore_imc_0", "software"
  PmuKind kind = PmuKind::kOther;
  std::optional<std::uint64_t> type;  // the number that perf_event_open wants
};

PmuKind KindOfPmu(std::string_view name);

// Everything in /sys/bus/event_source/devices; empty when the kernel has no such directory.
std::vector<Pmu> ReadPmus(const host::SystemFiles& files);

struct UserRead {
  bool available = false;
  std::string reason;  // why not
};

// Whether a counter can be read by one instruction (rdpmc, or the ARM registers) without the
// kernel.
UserRead TryUserRead(const OpenEvent& open = OpenForThisThread);

}  // namespace tare::pmu
