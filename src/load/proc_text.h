// proc_text.h: what the files under /proc say, taken apart.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare::load {

// Clock ticks of one core since boot.
struct CpuTime {
  std::uint64_t total;  // guest time, which user time contains, is not counted twice
  std::uint64_t idle;   // waiting for devices included
  std::uint64_t steal;
};
using CpuTimes = std::map<unsigned, CpuTime>;

// The cpuN lines of /proc/stat. Old kernels give fewer columns: those that are missing are 0.
Result<CpuTimes> ParseCpuTimes(std::string_view text);

// Share of the core's time that the hypervisor took between the two; 0 when one lacks the core or
// no time passed.
double StealShare(const CpuTimes& before, const CpuTimes& after, unsigned core);

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

// Model of the first processor in /proc/cpuinfo: its name on x86, implementer and part on Arm;
// "unknown processor" where there is neither.
std::string CpuModel(std::string_view cpuinfo);

}  // namespace tare::load
