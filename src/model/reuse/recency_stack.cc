// recency_stack.cc: the Fenwick tree over times of last use.
#include "model/reuse/recency_stack.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tare::reuse {

std::optional<std::uint64_t> RecencyStack::Remove(std::uint64_t key) {
  Time* const time = times_.Find(key);
  if (time == nullptr || *time == kNever) return std::nullopt;
  const std::uint64_t newer = live_ - UpTo(*time);
  Add(*time, ~std::uint32_t{0});
  keys_[*time] = FlatMap<Time>::kNoKey;
  *time = kNever;
  --live_;
  return newer;
}

void RecencyStack::Push(std::uint64_t key) {
  if (keys_.size() >= tree_.size()) Renumber();
  Time& time = times_[key];
  CHECK(time == kNever);
  time = static_cast<Time>(keys_.size());
  keys_.push_back(key);
  Add(time, 1);
  ++live_;
}

void RecencyStack::Keep(const std::function<bool(std::uint64_t key)>& keep) {
  for (std::uint64_t& key : keys_)
    if (key != FlatMap<Time>::kNoKey && !keep(key)) key = FlatMap<Time>::kNoKey;
  Renumber();
}

void RecencyStack::Add(Time time, std::uint32_t change) {
  for (std::size_t at = time; at < tree_.size(); at += at & (0 - at)) tree_[at] += change;
}

std::uint64_t RecencyStack::UpTo(Time time) const {
  std::uint64_t sum = 0;
  for (std::size_t at = time; at > 0; at -= at & (0 - at)) sum += tree_[at];
  return sum;
}

// Leaves at least as many free times as there are keys.
void RecencyStack::Renumber() {
  constexpr std::size_t kMinTimes = 1024;
  std::vector<std::uint64_t> keys = {FlatMap<Time>::kNoKey};
  for (const std::uint64_t key : keys_)
    if (key != FlatMap<Time>::kNoKey) keys.push_back(key);
  keys_ = std::move(keys);
  live_ = keys_.size() - 1;
  tree_.assign(std::max(kMinTimes, 2 * keys_.size()), 0);
  CHECK(tree_.size() <= UINT32_MAX);
  times_.Clear();
  for (std::size_t time = 1; time < keys_.size(); ++time) {
    times_[keys_[time]] = static_cast<Time>(time);
    tree_[time] += 1;
  }
  // Each node adds its sum to its parent, which builds the tree in linear time.
  for (std::size_t at = 1; at < tree_.size(); ++at) {
    const std::size_t parent = at + (at & (0 - at));
    if (parent < tree_.size()) tree_[parent] += tree_[at];
  }
}

}  // namespace tare::reuse
