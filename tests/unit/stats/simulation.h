// simulation.h: populations to draw from, and a check of a simulated rate against theory.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "stats/distribution.h"
#include "stats/random.h"

namespace tare::stats {

inline double DrawNormal(Generator& generator) {
  const double radius = std::sqrt(-2 * std::log(1 - generator.Unit()));
  return radius * std::cos(2 * std::numbers::pi * generator.Unit());
}

inline double DrawExponential(Generator& generator) { return -std::log(1 - generator.Unit()); }

template <typename Draw>
std::vector<double> Sample(Generator& generator, std::size_t count, Draw draw) {
  std::vector<double> samples(count);
  for (double& sample : samples) sample = draw(generator);
  return samples;
}

// Passes when `hits` of `trials` are consistent with a rate between `low` and `high`. With other
// seeds a correct program would fail once in ten thousand times.
inline ::testing::AssertionResult IsRate(double hits, double trials, double low, double high) {
  constexpr double kChance = 5e-5;
  if (BinomialCdf(hits, trials, low) < kChance || BinomialAtLeast(hits, trials, high) < kChance) {
    return ::testing::AssertionFailure() << hits << " of " << trials << " is a rate of "
                                         << hits / trials << ", not of " << low << " to " << high;
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult IsRate(double hits, double trials, double rate) {
  return IsRate(hits, trials, rate, rate);
}

}  // namespace tare::stats
