// associativity.h: the ways of a cache whose sets are indexed by address bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tare::survey {

// The number of lines, `stride` bytes apart, that stay in the cache.
struct StrideFit {
  std::uint64_t stride = 0;
  std::optional<double> lines = {};  // nothing: all that were tried
};

struct SharedSet {
  unsigned ways = 0;
  std::uint64_t way_bytes = 0;  // the smallest stride that maps to one set

  double Capacity() const { return static_cast<double>(ways) * static_cast<double>(way_bytes); }

  friend bool operator==(const SharedSet&, const SharedSet&) = default;
};

// Lines at a stride of a way's size, or twice that, share one set: as many stay as there are ways.
// With a smaller stride more do. Returns the number on which two consecutive strides agree; nothing
// when none do. Strides must double.
std::optional<SharedSet> SharedSetOf(std::span<const StrideFit> fits);

}  // namespace tare::survey
