// capacity_fit.h: capacities, from the cost of random loads as a function of the working-set size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stats/random.h"

namespace tare::survey {

// The samples at one size: seconds per load, one per pass. The caller chooses the unit of size:
// bytes, lines, pages.
struct CostSamples {
  double size = 0;
  std::vector<double> seconds = {};
};

// The mean of the middle half of the samples, with three the median. Noise that only adds time does
// not affect it. Needs one sample or more.
double MiddleMean(std::span<const double> samples);

// A step in the cost curve: a cache or TLB of capacity `size`; loads beyond it take `rise` longer.
struct CapacityStep {
  double size = 0;
  // Ways of a cache whose pages are placed at random; 0: it fills evenly, to the last entry.
  unsigned ways = 0;
  double rise = 0;  // seconds
};

struct CapacityStepFit {
  double first = 0;                 // seconds of a load below all steps
  std::vector<CapacityStep> steps;  // in ascending order of size, including the known ones
  double misfit = 0;  // root mean square of the relative errors, in units of the expected one

  // Seconds of a load beyond all steps up to `size`.
  double Beyond(double size) const;
};

struct CapacityStepSearch {
  std::vector<CapacityStep> known = {};  // their sizes stay fixed; their rises are fitted
  unsigned max_found = 3;                // maximum number of new ones
  std::vector<unsigned> ways = {0};
  double page = 4096;  // the unit of placement, in the unit of size
  double low = 0;      // range of new steps
  double high = 0;
  double min_rise =
      0.1;  // relative to the cost before; smaller ones are indistinguishable from noise
};

// The miss rate of random loads over `size` in a cache of `capacity`. With ways: pages fall into
// groups of sets at random, each group has room for as many as its ways, and the excess is
// binomial.
double OverflowShare(double size, double capacity, unsigned ways, double page);

// Models the cost as first + sum of rise * OverflowShare. Adds the steps that explain most one by
// one and adjusts all of them jointly, until another one would explain little. May find none.
// Points must be in ascending order of size.
CapacityStepFit FitCapacitySteps(std::span<const CostSamples> points,
                                 const CapacityStepSearch& search);

// Refits the same steps to `count` bootstrap resamples of the passes.
std::vector<CapacityStepFit> RefitCapacitySteps(std::span<const CostSamples> points,
                                                const CapacityStepSearch& search,
                                                const CapacityStepFit& fit, unsigned count,
                                                stats::Generator& generator);

// The nominal size when `found` was measured: 4, 5 or 6 times a power of two, the smallest that is
// at most 5 % below `found`. Disturbances only take capacity away, so a cache is at least as large
// as measured.
double BuiltSize(double found);

}  // namespace tare::survey
