// count_mean.h: means of counts that lose no digit, however large the counts are.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/compare/count_set.h"

namespace tare::compare {

struct WeighedCount {
  CountValue count;
  std::int64_t weight = 1;  // above 0
};

// Of one count or more.
CountValue MeanOf(std::span<const WeighedCount> counts);

// `a` less `b`.
double Difference(const CountValue& a, const CountValue& b);

double AsDouble(const CountValue& value);

}  // namespace tare::compare
