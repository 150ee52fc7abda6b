// in_parallel.h: independent pieces of work on all processors.
#pragma once

#include <cstddef>
#include <functional>

namespace tare {

// Calls `work` once for each index below `count`, in any order and on several threads; returns when
// all are done. Works on the caller's thread alone where no other can be had.
void InParallel(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace tare
