// hit_rates.h: the hit rate of a microbenchmark in each cache, in closed form.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// For each cache of `levels` (all but the last, which is memory) the share of accesses that hit it
// or a nearer one, in the steady state of the microbenchmark of `key` over `bytes`. Assumes LRU
// replacement; a cache with an unknown number of ways contains all of the working set or nothing.
// Ignores TLBs, prefetching and other replacement policies.
std::vector<double> HitRates(std::span<const Level> levels, const CurveKey& key,
                             std::uint64_t bytes);

// The share of accesses that each level itself serves, including memory. They add up to 1.
std::vector<double> ServedShares(std::span<const Level> levels, const CurveKey& key,
                                 std::uint64_t bytes);

// Computes the hit rates of all points that have none.
void FillHits(Profile& profile);

// Accesses that the microbenchmark makes to a line before it proceeds to another.
double AccessesPerLine(const CurveKey& key, unsigned line_bytes);

// The line size of the first level that has one, otherwise 64.
unsigned LineBytes(std::span<const Level> levels);

}  // namespace tare::machine_profile
