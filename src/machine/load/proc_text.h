// proc_text.h: what the files under /proc say, taken apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare::load {

// Share of the core's time that the hypervisor took between two readings of /proc/stat; 0 when one
// lacks the core or no time passed.
double StealShare(std::string_view before, std::string_view after, unsigned core);

// The text of /proc/stat at this moment; empty where it cannot be read.
std::string StatNow();

// One line of /proc/PID/stat.
struct ProcessStat {
  std::uint64_t pid;
  std::string name;         // as it is; may hold anything
  std::uint64_t cpu_ticks;  // user and system
  std::int64_t nice;
  unsigned processor;  // it ran on last
};
Result<ProcessStat> ParseProcessStat(std::string_view text);

// The control group whose CPU weight counts, from /proc/PID/cgroup: that of the version 1 cpu
// controller where there is one, else that of version 2; empty when the text names neither.
std::string CpuControlGroup(std::string_view text);

// "/autogroup-17" of "/autogroup-17 nice 0", from /proc/PID/autogroup.
std::string Autogroup(std::string_view text);

}  // namespace tare::load
