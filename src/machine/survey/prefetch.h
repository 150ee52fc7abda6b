// prefetch.h: the processor's prefetchers, where they can be asked and switched.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "machine/host/system_files.h"

namespace tare::survey {

// "on", "off", "partly on", or "not known" with the reason. Intel processors tell root, through
// /dev/cpu/N/msr; others have no common way.
std::string PrefetchState(const host::SystemFiles& files, const std::string& maker, unsigned core);

// Switches the prefetchers of these cores off for as long as it lives. Fails, having changed
// nothing, where that cannot be done.
class PrefetchOff {
 public:
  static Result<PrefetchOff> On(const host::SystemFiles& files, const std::string& maker,
                                std::span<const unsigned> cores);
  ~PrefetchOff();
  PrefetchOff(PrefetchOff&& other) noexcept : before_(std::exchange(other.before_, {})) {}
  PrefetchOff(const PrefetchOff&) = delete;
  PrefetchOff& operator=(const PrefetchOff&) = delete;
  PrefetchOff& operator=(PrefetchOff&&) = delete;

 private:
  PrefetchOff() = default;
  std::vector<std::pair<std::string, std::uint64_t>> before_;  // file and register
};

}  // namespace tare::survey
