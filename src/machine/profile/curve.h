// curve.h: kinds of memory access, and access rates as a function of the working-set size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/profile/origin.h"

namespace tare::machine_profile {

// An update loads an element and stores it: two accesses.
enum class Access { kLoad, kStore, kUpdate };

enum class Pattern {
  kStrided,  // every `stride` elements; all lines of the working set are accessed equally often
  kRandom,   // any element; the address is known before the previous access completes
  kChained,  // one random cycle through all lines; each access loads the next address
};

std::string_view Name(Access access);
std::string_view Name(Pattern pattern);
std::optional<Access> ParseAccess(std::string_view name);
std::optional<Pattern> ParsePattern(std::string_view name);

// Identifies a curve.
struct CurveKey {
  Access access = Access::kLoad;
  Pattern pattern = Pattern::kStrided;
  unsigned stride = 1;  // in elements; 1 for random and chained
  unsigned element_bytes = 8;

  unsigned AccessesPerElement() const { return access == Access::kUpdate ? 2 : 1; }

  friend auto operator<=>(const CurveKey&, const CurveKey&) = default;
};

// "load stride 1, 8 B", "update random, 16 B": for output and messages.
std::string CurveName(const CurveKey& key);

struct CurvePoint {
  std::uint64_t bytes = 0;   // of the working set
  Measured rate;             // accesses per second
  std::vector<double> hits;  // computed share of accesses that hit each cache or a nearer one

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

struct Curve {
  CurveKey key;
  std::vector<CurvePoint> points;  // in ascending order of size

  friend bool operator==(const Curve&, const Curve&) = default;
};

}  // namespace tare::machine_profile
