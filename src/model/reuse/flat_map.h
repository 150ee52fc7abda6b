// flat_map.h: a hash map from 64-bit keys to small values in one array, for lookups by the million.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tare::reuse {

// Keys cannot be removed. kNoKey is not a valid key.
template <typename Value>
class FlatMap {
 public:
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

  FlatMap() : slots_(kFirstSlots) {}

  std::size_t size() const { return used_; }

  // The value of the key, which is added with Value{} if it is new. The reference is valid until
  // the next call.
  Value& operator[](std::uint64_t key) {
    std::size_t at = PlaceOf(key);
    if (slots_[at].key != key) {
      if (2 * (used_ + 1) > slots_.size()) {
        Grow();
        at = PlaceOf(key);
      }
      slots_[at].key = key;
      ++used_;
    }
    return slots_[at].value;
  }

  // Null if the key is absent. Valid until the next change.
  Value* Find(std::uint64_t key) {
    Slot& slot = slots_[PlaceOf(key)];
    return slot.key == key ? &slot.value : nullptr;
  }

  // In no particular order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const Slot& slot : slots_)
      if (slot.key != kNoKey) visit(slot.key, slot.value);
  }

  // Keeps the memory.
  void Clear() {
    slots_.assign(slots_.size(), Slot());
    used_ = 0;
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;

  struct Slot {
    std::uint64_t key = kNoKey;
    Value value{};
  };

  std::size_t PlaceOf(std::uint64_t key) const {
    const auto bits = static_cast<unsigned>(std::countr_zero(slots_.size()));
    // Fibonacci hashing: the upper bits of the product depend on all bits of the key.
    std::size_t at = static_cast<std::size_t>((key * 0x9e37'79b9'7f4a'7c15) >> (64 - bits));
    while (slots_[at].key != key && slots_[at].key != kNoKey) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void Grow() {
    std::vector<Slot> before(2 * slots_.size());
    before.swap(slots_);
    for (Slot& slot : before)
      if (slot.key != kNoKey) slots_[PlaceOf(slot.key)] = std::move(slot);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace tare::reuse
