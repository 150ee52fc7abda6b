// system_log_clock.h: changes the clock readings of a log.
#pragma once

#include <cstdint>
#include <string>

#include "format/system_log.h"

namespace tare::format {

struct ClockChange {
  std::int64_t later_seconds =
      0;               // added to the first reading of each clock, except CPU-time clocks
  double stretch = 1;  // factor for all intervals since the first reading
};

// Returns the log's bytes with all clock readings changed. The log must be from this machine.
std::string WithClocks(const SystemLog& system_log, const ClockChange& change);

}  // namespace tare::format
