// descendants.h: finds and ends the descendants of a process, including reparented orphans.
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

namespace tare::run {

// The descendants that /proc shows, without the ancestor itself and without zombies.
std::vector<pid_t> DescendantsOf(pid_t ancestor);

// Sends SIGKILL to all descendants until none is left; gives up on processes that stay in the
// kernel. Skips those in `spared` and their descendants.
void EndDescendants(pid_t ancestor, std::span<const pid_t> spared);

}  // namespace tare::run
