// host_processor.h: the processor model and the features that matter for measuring.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/host/system_files.h"

namespace tare::host {

// Cores of one kind. ARM and hybrid machines have several kinds.
struct ProcessorModel {
  std::string name;           // "AMD EPYC 7763 64-Core Processor", "Neoverse V1"
  std::string vendor;         // "Intel", "AMD", "Arm", ...
  std::uint64_t threads = 0;  // hardware threads of this kind
};

struct Processor {
  std::vector<ProcessorModel> models;  // in the kernel's order
  std::vector<std::string> features;   // the kernel's names, as in /proc/cpuinfo
  bool says_hypervisor = false;        // the x86 flag "hypervisor"

  bool Has(std::string_view feature) const;
  // Whether the cycle counter ticks at one rate in every power state: the x86 flags constant_tsc
  // and nonstop_tsc; true for every 64-bit ARM processor (the generic timer).
  bool invariant_counter = false;
};

// Parses /proc/cpuinfo. Text without a known field yields no models.
Processor ParseCpuinfo(std::string_view text);

// Reads /proc/cpuinfo; where it does not name the parts, the identification registers under /sys.
Reading<Processor> ReadProcessor(const SystemFiles& files);

// Names implementer and part number of an ARM main identification register (MIDR_EL1). Unknown
// numbers are returned as numbers.
ProcessorModel ArmModel(std::uint64_t implementer, std::uint64_t part);

// "Intel Xeon Platinum 8375C" for "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz".
std::string ShortModelName(std::string_view name);

// One instruction set or feature that changes what is measured or how.
struct FeatureRow {
  std::string_view flag;
  std::string_view meaning;
};
// The rows whose flags this processor has.
std::vector<FeatureRow> MeasuringFeatures(const Processor& processor);

}  // namespace tare::host
