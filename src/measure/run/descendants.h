// descendants.h: the processes that come from another one, wherever they went.
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

namespace tare::run {

// Those that /proc shows, without the ancestor itself and without zombies.
std::vector<pid_t> DescendantsOf(pid_t ancestor);

// Ends them by SIGKILL, until none is left. Gives up on those that the kernel does not let go.
// Those in `spared`, and what comes from them, are left alone.
void EndDescendants(pid_t ancestor, std::span<const pid_t> spared);

}  // namespace tare::run
