// counter_errata.h: known errors of the counters of processors, as their vendors publish them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/host/system_files.h"

namespace tare::pmu {

// Which x86 processor this is, in the terms of CPUID.
struct X86Signature {
  std::string vendor;  // "GenuineIntel", "AuthenticAMD"
  std::uint64_t family = 0;
  std::uint64_t model = 0;

  friend bool operator==(const X86Signature&, const X86Signature&) = default;
};

// From /proc/cpuinfo; the reason where it has no such fields, as on ARM.
host::Reading<X86Signature> ReadX86Signature(const host::SystemFiles& files);

struct CounterErratum {
  std::string_view id;        // "HSD140"
  std::string_view events;    // as the vendor spells them
  std::string_view metrics;   // of the engine `hardware` that may use these events
  std::string_view document;  // where the vendor says so
};

// Empty: none is listed here, which does not mean that there is none.
std::vector<CounterErratum> ErrataOf(const X86Signature& signature);

}  // namespace tare::pmu
