// capacity_fit.h: capacities, from what a random load costs against the bytes it may fall on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stats/random.h"

namespace tare::survey {

// What was measured at one size: seconds per load, one for each pass. The unit of size is the
// caller's: bytes, lines, pages.
struct CostSamples {
  double size = 0;
  std::vector<double> seconds = {};
};

// The mean of the middle half of the samples, of three the median: noise that only ever adds does
// not reach it. One sample or more.
double MiddleMean(std::span<const double> samples);

// What holds `size` at one cost, and makes loads beyond it longer by `rise`.
struct Bend {
  double size = 0;
  // Ways of a cache whose pages lie in it at random; 0: it is filled evenly, to the last place.
  unsigned ways = 0;
  double rise = 0;  // seconds
};

struct BendFit {
  double first = 0;         // seconds of a load before all bends
  std::vector<Bend> bends;  // by rising size; the known ones too
  double misfit = 0;        // root mean square of the relative errors, in units of the expected

  // Seconds of a load beyond the bends below `size` and that one.
  double Beyond(double size) const;
};

struct BendSearch {
  std::vector<Bend> known = {};  // stay where they are; their rises are found
  unsigned most = 3;             // new ones
  std::vector<unsigned> ways = {0};
  double page = 4096;  // what is placed as a whole, in the unit of size
  double low = 0;      // new ones lie between
  double high = 0;
  double min_rise = 0.1;  // of the cost before; lesser ones are not told from noise
};

// The part of random loads on `size` that do not find their place within `capacity`. With ways:
// where pages fall into groups of sets at random and each group holds as many as it has ways, what
// is too much is binomial.
double OverflowShare(double size, double capacity, unsigned ways, double page);

// The cost is taken to be first + sum of rise * OverflowShare. The bends that explain most are
// taken one after the other, moved to where they fit best together, until another one would explain
// little. No new ones is an answer. Needs points by rising size.
BendFit FitBends(std::span<const CostSamples> points, const BendSearch& search);

// The same bends for passes drawn again with replacement, `count` times.
std::vector<BendFit> RefitBends(std::span<const CostSamples> points, const BendSearch& search,
                                const BendFit& fit, unsigned count, stats::Generator& generator);

// The size that was built when that much of it was found: 4, 5 or 6 times a power of two, the
// smallest one that is not below it by more than 5 %. What disturbs takes away and never adds, so a
// cache is larger than what is found of it.
double BuiltSize(double found);

}  // namespace tare::survey
