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

// Lines a way's size apart, or twice that, share one set: as many stay as there are ways. With a
// smaller stride more do. The answer is the number that two strides in a row agree on; nothing when
// none do. Needs strides that double.
std::optional<unsigned> WaysOf(std::span<const StrideFit> fits);

}  // namespace tare::survey
