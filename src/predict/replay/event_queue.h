// event_queue.h: who continues next: the actors of a replay by time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tare::replay {

using Picoseconds = std::int64_t;

// A heap with four children per node. Actors of equal times come in the order of their numbers.
class EventQueue {
 public:
  struct Entry {
    Picoseconds time;
    std::uint32_t actor;

    bool Before(const Entry& other) const {
      return time != other.time ? time < other.time : actor < other.actor;
    }
  };

  bool IsEmpty() const { return entries_.empty(); }
  const Entry& Top() const { return entries_.front(); }

  void Push(Picoseconds time, std::uint32_t actor) {
    const Entry entry{time, actor};
    std::size_t at = entries_.size();
    entries_.push_back(entry);
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (!entry.Before(entries_[parent])) break;
      entries_[at] = entries_[parent];
      at = parent;
    }
    entries_[at] = entry;
  }

  void Pop() {
    const Entry entry = entries_.back();
    entries_.pop_back();
    if (entries_.empty()) return;
    Sink(0, entry);
  }

  // Pop and Push in one.
  void ReplaceTop(Picoseconds time, std::uint32_t actor) { Sink(0, {time, actor}); }

 private:
  void Sink(std::size_t at, const Entry& entry) {
    const std::size_t size = entries_.size();
    while (true) {
      const std::size_t child = 4 * at + 1;
      if (child >= size) break;
      std::size_t best = child;
      const std::size_t end = child + 4 < size ? child + 4 : size;
      for (std::size_t other = child + 1; other < end; ++other) {
        if (entries_[other].Before(entries_[best])) best = other;
      }
      if (!entries_[best].Before(entry)) break;
      entries_[at] = entries_[best];
      at = best;
    }
    entries_[at] = entry;
  }

  std::vector<Entry> entries_;
};

}  // namespace tare::replay
