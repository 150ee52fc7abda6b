// associativity.h: the ways of a cache that addresses choose the sets of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tare::survey {

// How many lines stay near when they lie `stride` bytes apart.
struct StrideFit {
  std::uint64_t stride = 0;
  std::optional<double> lines = {};  // nothing: as many as were tried
};

struct SharedSet {
  unsigned ways = 0;
  std::uint64_t way_bytes = 0;  // the least stride that shares one set

  double Capacity() const { return static_cast<double>(ways) * static_cast<double>(way_bytes); }

  friend bool operator==(const SharedSet&, const SharedSet&) = default;
};

// Lines a way's size apart, or twice that, share one set: as many stay as there are ways. With a
// smaller stride more do. The answer is the number that two strides in a row agree on; nothing when
// none do. Needs strides that double.
std::optional<SharedSet> SharedSetOf(std::span<const StrideFit> fits);

}  // namespace tare::survey
