// recency_stack.h: LRU stack distances of any depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/reuse/flat_map.h"

namespace tare::reuse {

// Keys in the order of their last use. A bit for each time of use says whether it is still the last
// use of its key. The distance of a key is the number of bits that are set after its own (Bennett
// and Kruskal 1975), which are counted in groups. Times are renumbered when they run out (Olken
// 1981), so that memory is proportional to the number of keys.
class RecencyStack {
 public:
  // Makes the key the one used last. Returns how many other keys were used since its last use;
  // nothing if it is not in the stack.
  std::optional<std::uint64_t> Use(std::uint64_t key) {
    Time& time = TimeOf(key);
    if (time == kNever) {
      Add(key, time);
      return std::nullopt;
    }
    if (IsNewest(time)) return 0;
    const std::uint64_t newer = NewerThan(time);
    Forget(time);
    Add(key, time);
    return newer;
  }
  // The same without the number.
  void Touch(std::uint64_t key) {
    Time& time = TimeOf(key);
    if (IsNewest(time)) return;
    if (time != kNever) Forget(time);
    Add(key, time);
  }
  // Removes the key and returns the same.
  std::optional<std::uint64_t> Remove(std::uint64_t key);
  // Removes all keys for which `keep` returns false.
  void Keep(const std::function<bool(std::uint64_t key)>& keep);

  std::uint64_t size() const { return live_; }

 private:
  using Time = std::uint32_t;
  static constexpr Time kNever = 0;
  static constexpr unsigned kWordShift = 6;    // times per word
  static constexpr unsigned kBlockShift = 12;  // times per block

  Time& TimeOf(std::uint64_t key) {
    if (keys_.size() >= limit_) [[unlikely]]
      Renumber();
    return times_[key];
  }
  bool IsNewest(Time time) const { return time != kNever && time == keys_.size() - 1; }
  std::uint64_t NewerThan(Time time) const;
  void Renumber();

  void Forget(Time time) {
    bits_[time >> kWordShift] &= ~(std::uint64_t{1} << (time % 64));
    --in_word_[time >> kWordShift];
    --in_block_[time >> kBlockShift];
    keys_[time] = FlatMap<Time>::kNoKey;
    --live_;
  }
  void Add(std::uint64_t key, Time& time) {
    time = static_cast<Time>(keys_.size());
    bits_[time >> kWordShift] |= std::uint64_t{1} << (time % 64);
    ++in_word_[time >> kWordShift];
    ++in_block_[time >> kBlockShift];
    keys_.push_back(key);
    ++live_;
  }

  FlatMap<Time> times_;  // of last use; kNever: removed
  // By time, from 1; FlatMap::kNoKey: used later or removed.
  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(1, FlatMap<Time>::kNoKey);
  std::size_t limit_ = 0;              // times, a multiple of a block
  std::vector<std::uint64_t> bits_;    // by time
  std::vector<std::uint8_t> in_word_;  // bits that are set, by word
  std::vector<std::uint32_t> in_block_;
  std::uint64_t live_ = 0;
};

}  // namespace tare::reuse
