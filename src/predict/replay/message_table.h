// message_table.h: messages that wait for their receive, and receives that wait for their message.
#pragma once

#include <cstdint>
#include <vector>

namespace tare::replay {

inline constexpr std::uint32_t kNoIndex = UINT32_MAX;

// What must be equal for a message and a receive to match. Wildcards were resolved when the program
// was recorded.
struct MessageKey {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::uint32_t context = 0;  // communicator, and whether a collective made the message
  std::int32_t tag = 0;

  friend bool operator==(const MessageKey&, const MessageKey&) = default;
};

// An open-addressing table of queues of messages, which the caller keeps. `Messages` has, for each
// index, members `key`, `next` and `last`.
template <typename Messages>
class MessageTable {
 public:
  explicit MessageTable(Messages& messages) : messages_(&messages), slots_(1024) {}

  // The first in the queue of the key, or kNoIndex.
  std::uint32_t First(const MessageKey& key) const {
    const std::uint32_t hash = HashOf(key);
    for (std::size_t at = hash & Mask();; at = (at + 1) & Mask()) {
      const Slot& slot = slots_[at];
      if (slot.head == kNoIndex) return kNoIndex;
      if (slot.hash == hash && (*messages_)[slot.head].key == key) return slot.head;
    }
  }

  void Append(std::uint32_t index) {
    auto& added = (*messages_)[index];
    added.next = kNoIndex;
    added.last = index;
    const std::uint32_t hash = HashOf(added.key);
    for (std::size_t at = hash & Mask();; at = (at + 1) & Mask()) {
      Slot& slot = slots_[at];
      if (slot.head == kNoIndex) {
        slot = {hash, index};
        if (++used_ * 2 > slots_.size()) Grow();
        return;
      }
      auto& head = (*messages_)[slot.head];
      if (slot.hash != hash || head.key != added.key) continue;
      (*messages_)[head.last].next = index;
      head.last = index;
      return;
    }
  }

  // Removes the first of its queue.
  void RemoveFirst(std::uint32_t index) {
    const auto& removed = (*messages_)[index];
    const std::uint32_t hash = HashOf(removed.key);
    std::size_t at = hash & Mask();
    while (slots_[at].head != index) at = (at + 1) & Mask();
    if (removed.next != kNoIndex) {
      (*messages_)[removed.next].last = removed.last;
      slots_[at].head = removed.next;
      return;
    }
    --used_;
    // Moves later entries of the run back, so that searches need no marks of deleted entries.
    for (std::size_t next = (at + 1) & Mask(); slots_[next].head != kNoIndex;
         next = (next + 1) & Mask()) {
      const std::size_t home = slots_[next].hash & Mask();
      if (((next - home) & Mask()) >= ((next - at) & Mask())) {
        slots_[at] = slots_[next];
        at = next;
      }
    }
    slots_[at].head = kNoIndex;
  }

  // Calls `visit` with each waiting index.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (const Slot& slot : slots_) {
      for (std::uint32_t at = slot.head; at != kNoIndex; at = (*messages_)[at].next) visit(at);
    }
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t head = kNoIndex;
  };

  std::size_t Mask() const { return slots_.size() - 1; }

  static std::uint32_t HashOf(const MessageKey& key) {
    const auto word = [](auto value) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(value));
    };
    std::uint64_t hash = (word(key.from) << 32 | word(key.to)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
    hash = (hash ^ (word(key.context) << 32 | word(key.tag))) * 0xbf58476d1ce4e5b9U;
    return static_cast<std::uint32_t>(hash >> 32);
  }

  void Grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.head == kNoIndex) continue;
      std::size_t at = slot.hash & Mask();
      while (slots_[at].head != kNoIndex) at = (at + 1) & Mask();
      slots_[at] = slot;
    }
  }

  Messages* messages_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace tare::replay
