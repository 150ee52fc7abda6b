// shuffle.cc: the Fisher-Yates shuffle.
#include "stats/shuffle.h"

#include <numeric>
#include <utility>

namespace tare::stats {

void Shuffle(std::span<std::size_t> order, Generator& generator) {
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[generator.Below(left)]);
  }
}

std::vector<std::size_t> RandomOrder(std::size_t count, Generator& generator) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Shuffle(order, generator);
  return order;
}

}  // namespace tare::stats
