// count_mean.cc: adds whole parts as 128-bit integers.
#include "analysis/machines/count_mean.h"

#include <cmath>

#include "base/check.h"

namespace tare::machines {

CountValue MeanOf(std::span<const WeighedCount> counts) {
  CHECK(!counts.empty());
  __extension__ __int128 total = 0;
  __extension__ __int128 weights = 0;
  double rests = 0;
  for (const WeighedCount& part : counts) {
    CHECK(part.weight > 0);
    total += static_cast<decltype(total)>(part.count.whole) * part.weight;
    rests += part.count.rest * static_cast<double>(part.weight);
    weights += part.weight;
  }
  const double divisor = static_cast<double>(weights);
  const double rest = static_cast<double>(total % weights) / divisor + rests / divisor;
  const double carried = std::floor(rest);
  return {static_cast<std::int64_t>(total / weights) + static_cast<std::int64_t>(carried),
          rest - carried};
}

double Difference(const CountValue& a, const CountValue& b) {
  return static_cast<double>(a.whole - b.whole) + (a.rest - b.rest);
}

double AsDouble(const CountValue& value) { return static_cast<double>(value.whole) + value.rest; }

}  // namespace tare::machines
