// correction.cc: the step-down adjustment of p-values.
#include "stats/correction.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tare::stats {
namespace {

// Returns the indices of the p-values in ascending order.
Result<std::vector<std::size_t>> Ascending(const char* method, std::span<const double> p_values) {
  for (double p : p_values) {
    if (!(p >= 0 && p <= 1)) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: {} is not a p-value between 0 and 1", method, p));
    }
  }
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(p_values[i], i); });
  return order;
}

}  // namespace

Result<std::vector<double>> Holm(std::span<const double> p_values) {
  TRY(const auto order, Ascending("Holm's correction", p_values));
  std::vector<double> adjusted(p_values.size());
  double least = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    least = std::max(least, static_cast<double>(order.size() - k) * p_values[order[k]]);
    adjusted[order[k]] = std::min(1.0, least);
  }
  return adjusted;
}

}  // namespace tare::stats
