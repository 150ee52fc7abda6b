// curve.h: how memory is accessed, and the rate at which that goes on for each size of working set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/profile/figure.h"

namespace tare::machine_profile {

// An update loads an element and stores it again: two accesses.
enum class Access { kLoad, kStore, kUpdate };

enum class Pattern {
  kStrided,  // every `stride` elements, so that all lines of the set are touched equally often
  kRandom,   // any element, each address known before the last access has come back
  kChained,  // one random cycle through all lines, each address loaded by the access before it
};

std::string_view Name(Access access);
std::string_view Name(Pattern pattern);
std::optional<Access> ParseAccess(std::string_view name);
std::optional<Pattern> ParsePattern(std::string_view name);

// What a curve is of.
struct CurveKey {
  Access access = Access::kLoad;
  Pattern pattern = Pattern::kStrided;
  unsigned stride = 1;  // in elements; 1 for random and chained
  unsigned element_bytes = 8;

  unsigned AccessesPerElement() const { return access == Access::kUpdate ? 2 : 1; }

  friend auto operator<=>(const CurveKey&, const CurveKey&) = default;
};

// "load stride 1, 8 B", "update random, 16 B": for people and for messages.
std::string CurveName(const CurveKey& key);

struct CurvePoint {
  std::uint64_t bytes = 0;   // of the working set
  Figure rate;               // accesses per second
  std::vector<double> hits;  // share of accesses served by each cache or one nearer, as computed

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

struct Curve {
  CurveKey key;
  std::vector<CurvePoint> points;  // by rising size

  friend bool operator==(const Curve&, const Curve&) = default;
};

}  // namespace tare::machine_profile
