// recency_stack.h: LRU stack distances of any depth in logarithmic time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/reuse/flat_map.h"

namespace tare::reuse {

// Keys in the order of their last use. A Fenwick tree over the times of last use counts the keys
// that are newer than one (Bennett and Kruskal 1975; Olken 1981). Times are renumbered when they
// run out, so that memory is proportional to the number of keys.
class RecencyStack {
 public:
  // Removes the key and returns how many other keys were used since its last use; nothing if it is
  // not in the stack.
  std::optional<std::uint64_t> Remove(std::uint64_t key);
  // Makes the key, which must not be in the stack, the one used last.
  void Push(std::uint64_t key);
  // Removes all keys for which `keep` returns false.
  void Keep(const std::function<bool(std::uint64_t key)>& keep);

  std::uint64_t size() const { return live_; }

 private:
  using Time = std::uint32_t;
  static constexpr Time kNever = 0;

  void Add(Time time, std::uint32_t change);
  std::uint64_t UpTo(Time time) const;
  void Renumber();

  FlatMap<Time> times_;  // of last use; kNever: removed
  // By time, from 1; FlatMap::kNoKey: used later or removed.
  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(1, FlatMap<Time>::kNoKey);
  std::vector<std::uint32_t> tree_ = std::vector<std::uint32_t>(1);  // by time, from 1
  std::uint64_t live_ = 0;
};

}  // namespace tare::reuse
