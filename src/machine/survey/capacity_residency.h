// capacity_residency.h: capacity and ways of a cache, from how much of a growing working set stays
// in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/measured.h"
#include "stats/random.h"

namespace tare::survey {

// The resident bytes of a working set, one number per placement of its pages.
struct Residency {
  double bytes = 0;
  std::vector<double> resident = {};
};

// Once a randomly accessed working set overflows every cache set, the resident bytes equal the
// capacity, for any replacement policy and page placement. Nothing when all working sets stayed
// resident, or when hardly anything did. Needs ascending sizes, and one placement or more.
std::optional<Measured> CapacityOf(std::span<const Residency> sets, stats::Generator& generator);

struct WaysEstimate {
  unsigned ways = 0;
  unsigned low = 0;  // at 95 %
  unsigned high = 0;
};

// Estimates the ways from how early randomly placed pages overflow some sets before others: the
// fewer ways, the earlier. `built` is the capacity; up to a quarter of it may be missing in all
// sets alike, as when some ways serve another purpose. Tries only ways for which the number of sets
// is a power of two. Nothing when no working set is close enough to the capacity, or when all pages
// share one group of sets.
std::optional<WaysEstimate> WaysOf(std::span<const Residency> sets, double built, double page,
                                   stats::Generator& generator);

// The `q` quantile of the samples.
double SampleQuantile(std::span<const double> samples, double q);

}  // namespace tare::survey
