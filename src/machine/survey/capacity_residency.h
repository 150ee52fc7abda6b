// capacity_residency.h: capacity and ways of a cache, from how much of a growing set is found in
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/random.h"

namespace tare::survey {

// How many bytes of a set were found near, one number for each placement of its pages.
struct Residency {
  double bytes = 0;
  std::vector<double> resident = {};
};

// A value with its interval at 95 %.
struct Ranged {
  double value = 0;
  double low = 0;
  double high = 0;
};

// A set that is drawn from at random keeps as much in a cache as the cache holds, whatever it
// replaces and wherever pages lie, once every set of it overflows. Nothing when all that was tried
// stayed near. Needs sets by rising size, and one placement or more.
std::optional<Ranged> CapacityOf(std::span<const Residency> sets, stats::Generator& generator);

struct WaysEstimate {
  unsigned ways = 0;
  unsigned low = 0;  // at 95 %
  unsigned high = 0;
};

// From how early pages that lie at random fill some sets before others: fewer ways, more of that.
// `built` is the capacity; up to a quarter of it may be missing, in all sets alike, as when a part
// of the ways serves something else. Only ways that make the number of sets a power of two are
// tried. Nothing when no set is near enough to the capacity, or when all pages share one group of
// sets.
std::optional<WaysEstimate> WaysOf(std::span<const Residency> sets, double built, double page,
                                   stats::Generator& generator);

// The value that a part `q` of the samples stays below.
double SampleQuantile(std::span<const double> samples, double q);

}  // namespace tare::survey
