// proc_text.h: parsing files under /proc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare::load {

// Stolen share of the core's time between two readings of /proc/stat; 0 when one lacks the core or
// no time passed.
double StealShare(std::string_view before, std::string_view after, unsigned core);

// The current text of /proc/stat; empty when it cannot be read.
std::string StatNow();

// One line of /proc/PID/stat.
struct ProcessStat {
  std::uint64_t pid;
  std::string name;         // unmodified; may contain any bytes
  std::uint64_t cpu_ticks;  // user and system
  std::int64_t nice;
  unsigned processor;  // on which it last ran
};
Result<ProcessStat> ParseProcessStat(std::string_view text);

// The control group that determines the CPU weight, from /proc/PID/cgroup: that of the version 1
// cpu controller where there is one, else that of version 2; empty when the text names neither.
std::string CpuControlGroup(std::string_view text);

// "/autogroup-17" of "/autogroup-17 nice 0", from /proc/PID/autogroup.
std::string Autogroup(std::string_view text);

}  // namespace tare::load
