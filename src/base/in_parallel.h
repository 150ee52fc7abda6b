// in_parallel.h: runs independent pieces of work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace tare {

// Calls `work` once for each index below `count`, in any order and on several threads, and returns
// when all calls have returned. Uses only the caller's thread if no other can be started.
void InParallel(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace tare
