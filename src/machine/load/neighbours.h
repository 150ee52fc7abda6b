// neighbours.h: other processes that the scheduler does not treat as the counter's equals.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "machine/load/proc_text.h"

namespace tare::load {

using Processes = std::map<std::uint64_t, ProcessStat>;  // by process id

// All processes that can be read now; those that end meanwhile are left out.
Processes ListProcesses(const std::filesystem::path& proc = "/proc");

// The group that shares the processor with other groups: the control group, and within the root one
// the session's group where the kernel makes those. Empty where the process cannot be read.
std::string SchedulingGroup(const std::string& pid, const std::filesystem::path& proc = "/proc");

struct Neighbour {
  ProcessStat process;
  double cpu_seconds;  // used between the two lists
  bool other_group;
  bool other_nice;
};

// Processes that last ran on `core`, used more than `min_seconds` of CPU time between the lists,
// and weigh differently from the process `self`: in another group, or with another nice value.
std::vector<Neighbour> UnequalNeighbours(const Processes& before, const Processes& after,
                                         std::uint64_t self, unsigned core, double min_seconds,
                                         const std::filesystem::path& proc = "/proc");

}  // namespace tare::load
