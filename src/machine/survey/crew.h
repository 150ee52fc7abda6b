// crew.h: running the same work on several cores at once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace tare::survey {

// Runs `work(i, stage)` on a separate thread per core, for every stage in turn, and returns when
// all have finished. A barrier starts each stage on all cores together. `prepare(i)` runs first on
// the same thread, so that memory is first touched where it is used.
void RunOnCores(std::span<const unsigned> cores, std::size_t stages,
                const std::function<void(std::size_t)>& prepare,
                const std::function<void(std::size_t, std::size_t)>& work);

}  // namespace tare::survey
