// crew.h: the same work on several cores at once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace tare::survey {

// Runs `work(i, stage)` in a thread of its own on each of the cores i, for every stage in turn, and
// comes back when all have ended. A stage begins on all of them together. `prepare(i)` goes before,
// so that memory is first touched where it is used.
void RunOnCores(std::span<const unsigned> cores, std::size_t stages,
                const std::function<void(std::size_t)>& prepare,
                const std::function<void(std::size_t, std::size_t)>& work);

}  // namespace tare::survey
