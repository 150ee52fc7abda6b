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

// Core: events of a core. Other: uncore, energy, tracing hardware. Kernel: without hardware
// (software, tracepoint, probes).
enum class PmuKind { kCore, kOther, kKernel };

struct Pmu {
  std::string name;  // "cpu", "cpu_core", "armv8_pmuv3_0", "uncore_imc_0", "software"
  PmuKind kind = PmuKind::kOther;
  std::optional<std::uint64_t> type;  // perf_event_attr.type for perf_event_open(2)
};

PmuKind KindOfPmu(std::string_view name);

// All entries of /sys/bus/event_source/devices; empty when the kernel has no such directory.
std::vector<Pmu> ReadPmus(const host::SystemFiles& files);

// Whether the processor's counter of instructions or of cycles opens here.
bool HasCounters(const OpenEvent& open = OpenForThisThread);

struct UserRead {
  bool available = false;
  std::string reason;  // why not
};

// Whether a single instruction (rdpmc, or a read of the ARM registers) can read a counter without
// the kernel.
UserRead TryUserRead(const OpenEvent& open = OpenForThisThread);

}  // namespace tare::pmu
