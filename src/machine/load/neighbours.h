// neighbours.h: other processes to which the scheduler gives a different weight than to the
// counter.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "machine/load/proc_text.h"

namespace tare::load {

using Processes = std::map<std::uint64_t, ProcessStat>;  // by process id

// All processes that can be read now; those that end meanwhile are omitted.
Processes ListProcesses(const std::filesystem::path& proc = "/proc");

// The scheduling group of a process: its control group and, within the root control group, the
// session's autogroup where the kernel creates those (sched(7)). Empty when the process cannot be
// read.
std::string SchedulingGroup(const std::string& pid, const std::filesystem::path& proc = "/proc");

struct Neighbour {
  ProcessStat process;
  double cpu_seconds;  // used between the two lists
  bool other_group;
  bool other_nice;
};

// Processes that last ran on `core`, used more than `min_seconds` of CPU time between the lists,
// and have a different weight than the process `self`: another group or another nice value.
std::vector<Neighbour> UnequalNeighbours(const Processes& before, const Processes& after,
                                         std::uint64_t self, unsigned core, double min_seconds,
                                         const std::filesystem::path& proc = "/proc");

}  // namespace tare::load
