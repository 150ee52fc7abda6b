// ring.h: a single random cycle through memory; each place contains the address of the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stats/random.h"

namespace tare::microbenchmark {

// Places are `spacing` bytes apart, from the start of `memory`. Each new place is inserted after a
// uniformly drawn existing one, so the cycle over any number of places is uniformly distributed
// over all cycles (Sattolo's permutation, grown from the front).
class Ring {
 public:
  // `spacing` is a multiple of 8. `skew`, also a multiple of 8, moves place i by (i * skew) %
  // spacing, so that places on many pages need not share a few cache sets.
  Ring(std::span<std::byte> memory, std::size_t spacing, std::uint64_t seed, std::size_t skew = 0);

  std::uint64_t places() const { return places_; }
  std::uint64_t max_places() const;

  // Adds places until there are `places`.
  void GrowTo(std::uint64_t places);

  // Follows the cycle: true when it returns to the start after all places and not before.
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
