// window_queue.h: who continues in the next window of time: the actors of a replay, grouped.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "predict/replay/event_queue.h"

namespace tare::replay {

// Time is divided into windows of 2^shift picoseconds. Within a window actors come in any order,
// so that each does all that it can at once, while its state is in the cache. Close windows are
// buckets of a ring, others are in a heap.
class WindowQueue {
 public:
  // `width`: the time in which no actor affects another through this queue's user, at least 1.
  explicit WindowQueue(Picoseconds width)
      : shift_(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(width)) - 1)) {}

  void Push(Picoseconds time, std::uint32_t actor) {
    if (time < end_) {
      active_.push_back(actor);
      return;
    }
    const std::int64_t window = time >> shift_;
    if (window - window_ > kBuckets) {
      far_.Push(time, actor);
      return;
    }
    const std::size_t bucket = BucketOf(window);
    ring_[bucket].push_back(actor);
    used_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
    ++near_;
  }

  // The end of the current window.
  Picoseconds End() const { return end_; }

  // Moves to the next window that has actors, by number. False if there is none. All of the
  // current one must have been taken.
  bool Advance() {
    active_.clear();
    if (near_ == 0 && far_.IsEmpty()) return false;
    std::int64_t next = far_.IsEmpty() ? INT64_MAX : far_.Top().time >> shift_;
    if (near_ > 0) next = std::min(next, NextUsed());
    window_ = next;
    end_ = (next + 1) << shift_;
    const std::size_t bucket = BucketOf(next);
    active_.swap(ring_[bucket]);
    near_ -= active_.size();
    used_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
    while (!far_.IsEmpty() && far_.Top().time < end_) {
      active_.push_back(far_.Top().actor);
      far_.Pop();
    }
    if (!std::ranges::is_sorted(active_)) std::ranges::sort(active_);
    return true;
  }

  // The actors of the current window. Grows while they run.
  const std::vector<std::uint32_t>& Active() const { return active_; }

 private:
  static constexpr std::int64_t kBuckets = 1024;

  static std::size_t BucketOf(std::int64_t window) {
    return static_cast<std::size_t>(window) % kBuckets;
  }

  // The first window after the current one whose bucket is not empty; there must be one.
  std::int64_t NextUsed() const {
    for (std::int64_t at = window_ + 1;;) {
      const std::size_t bucket = BucketOf(at);
      const std::uint64_t rest = used_[bucket / 64] >> (bucket % 64);
      if (rest != 0) return at + std::countr_zero(rest);
      at += static_cast<std::int64_t>(64 - bucket % 64);
    }
  }

  unsigned shift_;
  std::int64_t window_ = -1;
  Picoseconds end_ = 0;
  std::size_t near_ = 0;
  std::array<std::uint64_t, kBuckets / 64> used_{};
  std::array<std::vector<std::uint32_t>, kBuckets> ring_;
  std::vector<std::uint32_t> active_;
  EventQueue far_;
};

}  // namespace tare::replay
