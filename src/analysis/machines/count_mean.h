// count_mean.h: means of counts that are exact to the last digit for counts of any size.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/machines/count_set.h"

namespace tare::machines {

struct WeighedCount {
  CountValue count;
  std::int64_t weight = 1;  // greater than 0
};

// `counts` must not be empty.
CountValue MeanOf(std::span<const WeighedCount> counts);

// `a` minus `b`.
double Difference(const CountValue& a, const CountValue& b);

double AsDouble(const CountValue& value);

}  // namespace tare::machines
