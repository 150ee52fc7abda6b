// ring.h: a single random cycle through memory, each place holding the address of the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stats/random.h"

namespace tare::microbenchmark {

// Places stand `spacing` bytes apart from the front of `memory`. A new place is put behind one
// drawn evenly from those there are, so that the cycle over any number of places is drawn evenly
// from all cycles (Sattolo's permutation, grown from the front).
class Ring {
 public:
  // `spacing` is a multiple of 8. `skew` moves place i by (i * skew) % spacing, a multiple of 8,
  // so that places on many pages need not share a few sets of a cache.
  Ring(std::span<std::byte> memory, std::size_t spacing, std::uint64_t seed, std::size_t skew = 0);

  std::uint64_t places() const { return places_; }
  std::uint64_t max_places() const;

  // Adds places up to `places`.
  void GrowTo(std::uint64_t places);

  // Walks once around: true when it comes back to the start after all places and not before.
  bool IsOneCycle() const;

  std::byte* start() const;

 private:
  std::byte* Place(std::uint64_t index) const;

  std::span<std::byte> memory_;
  std::size_t spacing_;
  std::size_t skew_;
  std::uint64_t places_ = 0;
  stats::Generator generator_;
};

}  // namespace tare::microbenchmark
