// hit_rates.h: the share of its accesses that a kernel finds in each cache, in closed form.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/profile/machine_profile.h"

namespace tare::machine_profile {

// For each cache of `levels` (all but the last, which is memory) the share of accesses that it or
// a nearer one serves, once the kernel of `key` has gone over `bytes` often enough. Caches replace
// the line that was not used for longest; a cache whose ways are not known holds all of the set or
// none. Translations, prefetching and other orders of replacement are not in it.
std::vector<double> HitRates(std::span<const Level> levels, const CurveKey& key,
                             std::uint64_t bytes);

// The share that each level serves itself, memory included. They add up to 1.
std::vector<double> ServedShares(std::span<const Level> levels, const CurveKey& key,
                                 std::uint64_t bytes);

// Gives every point of every curve its hit rates where it has none.
void FillHits(Profile& profile);

// Accesses that the kernel makes to a line before it goes on to another.
double AccessesPerLine(const CurveKey& key, unsigned line_bytes);

// That of the first level that knows its own, otherwise 64.
unsigned LineBytes(std::span<const Level> levels);

}  // namespace tare::machine_profile
