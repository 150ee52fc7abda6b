// system_log_clock.h: a log whose clocks tell another time.
#pragma once

#include <cstdint>
#include <string>

#include "format/system_log.h"

namespace tare::format {

struct ClockChange {
  std::int64_t later_seconds =
      0;               // the first answer of each clock; not of clocks of processor time
  double stretch = 1;  // of all intervals from the first answer on
};

// The log's bytes, with the answers of all clocks changed. A log of this machine.
std::string WithClocks(const SystemLog& system_log, const ClockChange& change);

}  // namespace tare::format
