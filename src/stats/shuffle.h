// shuffle.h: random orders.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/random.h"

namespace tare::stats {

// Fisher-Yates shuffle.
void Shuffle(std::span<std::size_t> order, Generator& generator);

// A random permutation of 0, 1, ..., count - 1.
std::vector<std::size_t> RandomOrder(std::size_t count, Generator& generator);

}  // namespace tare::stats
