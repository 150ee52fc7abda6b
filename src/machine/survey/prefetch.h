// prefetch.h: querying and disabling the processor's prefetchers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "machine/host/system_files.h"

namespace tare::survey {

// "on", "off", "partly on", or "not known" with the reason. On Intel processors root can read the
// state from /dev/cpu/N/msr; other processors have no common interface.
std::string PrefetchState(const host::SystemFiles& files, const std::string& vendor, unsigned core);

// Disables the prefetchers of these cores during its lifetime. Fails without any change where this
// is impossible.
class PrefetchOff {
 public:
  static Result<PrefetchOff> On(const host::SystemFiles& files, const std::string& vendor,
                                std::span<const unsigned> cores);
  ~PrefetchOff();
  PrefetchOff(PrefetchOff&& other) noexcept : before_(std::exchange(other.before_, {})) {}
  PrefetchOff(const PrefetchOff&) = delete;
  PrefetchOff& operator=(const PrefetchOff&) = delete;
  PrefetchOff& operator=(PrefetchOff&&) = delete;

 private:
  PrefetchOff() = default;
  std::vector<std::pair<std::string, std::uint64_t>> before_;  // file and old register value
};

}  // namespace tare::survey
