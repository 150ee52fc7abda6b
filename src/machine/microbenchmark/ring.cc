// ring.cc: growing a random cycle, and checking it.
#include "machine/microbenchmark/ring.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"

namespace tare::microbenchmark {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

std::byte* NextOf(const std::byte* place) {
  std::byte* next = nullptr;
  std::memcpy(&next, place, sizeof next);
  return next;
}

void SetNext(std::byte* place, std::byte* next) { std::memcpy(place, &next, sizeof next); }

}  // namespace

Ring::Ring(std::span<std::byte> memory, std::size_t spacing, std::uint64_t seed, std::size_t skew)
    : memory_(memory), spacing_(spacing), skew_(skew), generator_(seed) {
  CHECK(spacing >= kWord && spacing % kWord == 0 && skew % kWord == 0);
  CHECK(memory.size() >= spacing);
  SetNext(Place(0), Place(0));
  places_ = 1;
}

std::uint64_t Ring::max_places() const { return memory_.size() / spacing_; }

std::byte* Ring::Place(std::uint64_t index) const {
  return memory_.data() + index * spacing_ + (index * skew_) % spacing_;
}

std::byte* Ring::start() const { return Place(0); }

void Ring::GrowTo(std::uint64_t places) {
  CHECK(places <= max_places());
  // The drawn place depends only on the number of places, so several can be prefetched at once.
  constexpr std::uint64_t kAhead = 16;
  std::array<std::byte*, kAhead> before;
  while (places_ < places) {
    const std::uint64_t count = std::min(kAhead, places - places_);
    for (std::uint64_t i = 0; i < count; ++i) {
      before[i] = Place(generator_.Below(places_ + i));
      __builtin_prefetch(before[i], 1);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      std::byte* const place = Place(places_ + i);
      SetNext(place, NextOf(before[i]));
      SetNext(before[i], place);
    }
    places_ += count;
  }
}

bool Ring::IsOneCycle() const {
  const std::byte* at = start();
  for (std::uint64_t steps = 1; steps <= places_; ++steps) {
    at = NextOf(at);
    if (at < memory_.data() || at >= memory_.data() + memory_.size()) return false;
    const auto index = static_cast<std::uint64_t>(at - memory_.data()) / spacing_;
    if (index >= places_ || at != Place(index)) return false;
    if (at == start()) return steps == places_;
  }
  return false;
}

}  // namespace tare::microbenchmark
