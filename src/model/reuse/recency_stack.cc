// recency_stack.cc: counts newer keys, and renumbers times.
#include "model/reuse/recency_stack.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace tare::reuse {
namespace {

// The sum of 8 bytes of at most 64 each.
std::uint64_t SumOfBytes(const std::uint8_t* bytes) {
  std::uint64_t eight;
  std::memcpy(&eight, bytes, sizeof eight);
  constexpr std::uint64_t kEven = 0x00ff'00ff'00ff'00ff;
  return ((eight & kEven) + (eight >> 8 & kEven)) * 0x0001'0001'0001'0001 >> 48;
}

}  // namespace

std::uint64_t RecencyStack::NewerThan(Time time) const {
  const std::size_t last_block = (keys_.size() - 1) >> kBlockShift;
  const std::size_t block = time >> kBlockShift;
  std::uint64_t newer = 0;
  for (std::size_t i = block + 1; i <= last_block; ++i) newer += in_block_[i];
  std::size_t word = (time >> kWordShift) + 1;
  const std::size_t end = (block + 1) << (kBlockShift - kWordShift);
  for (; word < end && word % sizeof(std::uint64_t) != 0; ++word) newer += in_word_[word];
  for (; word < end; word += sizeof(std::uint64_t)) newer += SumOfBytes(&in_word_[word]);
  // Twice, because a shift by 64 bits is undefined.
  const std::uint64_t after = bits_[time >> kWordShift] >> (time % 64) >> 1;
  return newer + static_cast<std::uint64_t>(std::popcount(after));
}

std::optional<std::uint64_t> RecencyStack::Remove(std::uint64_t key) {
  Time* const time = times_.Find(key);
  if (time == nullptr || *time == kNever) return std::nullopt;
  const std::uint64_t newer = NewerThan(*time);
  Forget(*time);
  *time = kNever;
  return newer;
}

void RecencyStack::Keep(const std::function<bool(std::uint64_t key)>& keep) {
  for (std::uint64_t& key : keys_)
    if (key != FlatMap<Time>::kNoKey && !keep(key)) key = FlatMap<Time>::kNoKey;
  Renumber();
}

// Leaves at least as many free times as there are keys.
void RecencyStack::Renumber() {
  constexpr std::size_t kMinTimes = 1 << 15;
  std::erase(keys_, FlatMap<Time>::kNoKey);
  keys_.insert(keys_.begin(), FlatMap<Time>::kNoKey);
  live_ = keys_.size() - 1;
  const std::size_t blocks = ((std::max(kMinTimes, 2 * keys_.size()) - 1) >> kBlockShift) + 1;
  limit_ = blocks << kBlockShift;
  CHECK(limit_ <= UINT32_MAX);
  bits_.assign(limit_ >> kWordShift, 0);
  in_word_.assign(limit_ >> kWordShift, 0);
  in_block_.assign(blocks, 0);
  times_.Clear();
  for (std::size_t time = 1; time < keys_.size(); ++time) {
    times_[keys_[time]] = static_cast<Time>(time);
    bits_[time >> kWordShift] |= std::uint64_t{1} << (time % 64);
    ++in_word_[time >> kWordShift];
    ++in_block_[time >> kBlockShift];
  }
}

}  // namespace tare::reuse
