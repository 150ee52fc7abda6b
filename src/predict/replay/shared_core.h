// shared_core.h: ranks that take turns on one core, because a node has more ranks than cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "predict/replay/message_costs.h"
#include "predict/replay/message_table.h"

namespace tare::replay {

// Ranks have turns in a fixed order. A rank that cannot continue polls once and hands the core over
// to the next one, which takes `hand_over`; one that can continue keeps the core until it waits, or
// until its time slice is over. docs/methods/replay.md, "Ranks that share cores".
class SharedCore {
 public:
  struct Turn {
    std::size_t slot = 0;
    Picoseconds time = kMaxTime;  // kMaxTime: no rank is known to continue
  };

  SharedCore(Picoseconds hand_over, Picoseconds time_slice)
      : hand_over_(hand_over), time_slice_(time_slice) {}

  // Its turn comes after those of all others. It can continue at `ready`.
  void Add(std::uint32_t rank, Picoseconds ready) {
    const auto last = static_cast<std::ptrdiff_t>(next_);
    ranks_.insert(ranks_.begin() + last, rank);
    ready_.insert(ready_.begin() + last, ready);
    if (ranks_.size() > 1) ++next_;
  }

  std::size_t Size() const { return ranks_.size(); }
  // A rank has the core.
  bool IsBusy() const { return is_busy_; }
  std::uint32_t Current() const { return ranks_[next_]; }
  // When the next turn begins, or the current one began.
  Picoseconds Clock() const { return clock_; }

  // The first poll of a rank that finds that it can continue, if nothing else becomes known.
  Turn NextTurn() const {
    Turn first;
    const std::size_t size = ranks_.size();
    const Picoseconds poll = PollTime();
    const Picoseconds round = poll * static_cast<Picoseconds>(size);
    for (std::size_t i = 0; i < size; ++i) {
      Picoseconds time = clock_ + poll * static_cast<Picoseconds>(i);
      if (time >= first.time) break;  // later slots poll later
      const std::size_t slot = (next_ + i) % size;
      if (ready_[slot] == kMaxTime) continue;
      const Picoseconds late = ready_[slot] - time;
      if (late > 0) time += round == 0 ? late : (late + round - 1) / round * round;
      if (time < first.time) first = {slot, time};
    }
    return first;
  }

  void Take(const Turn& turn) {
    next_ = turn.slot;
    clock_ = turn.time;
    slice_end_ = time_slice_ == 0 ? kMaxTime : turn.time + time_slice_;
    is_busy_ = true;
  }

  // For how long the current rank may compute from `time` on.
  Picoseconds TimeLeft(Picoseconds time) const {
    return ranks_.size() > 1 ? std::max<Picoseconds>(slice_end_ - time, 0) : kMaxTime;
  }

  // The current rank stops at `time`, and could continue at `ready` (kMaxTime: unknown).
  void HandOver(Picoseconds time, Picoseconds ready) {
    ready_[next_] = ready;
    clock_ = time + PollTime();
    next_ = (next_ + 1) % ranks_.size();
    is_busy_ = false;
  }

  // The current rank has ended, or goes to another core.
  void Remove(Picoseconds time) {
    clock_ = time + PollTime();
    Erase(next_);
    is_busy_ = false;
  }

  // Takes out a rank that does not have the core. Returns when it could continue.
  Picoseconds TakeOut(std::uint32_t rank) {
    const std::size_t slot = SlotOf(rank);
    const Picoseconds ready = ready_[slot];
    Erase(slot);
    return ready;
  }

  // What the rank waits for is there at `time`.
  void MakeReady(std::uint32_t rank, Picoseconds time) {
    Picoseconds& ready = ready_[SlotOf(rank)];
    ready = std::min(ready, time);
  }

 private:
  std::size_t SlotOf(std::uint32_t rank) const {
    return static_cast<std::size_t>(std::ranges::find(ranks_, rank) - ranks_.begin());
  }
  void Erase(std::size_t slot) {
    ranks_.erase(ranks_.begin() + static_cast<std::ptrdiff_t>(slot));
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(slot));
    if (slot < next_) --next_;
    if (next_ == ranks_.size()) next_ = 0;
  }
  // A rank alone notices at once what it waited for.
  Picoseconds PollTime() const { return ranks_.size() > 1 ? hand_over_ : 0; }

  Picoseconds hand_over_;
  Picoseconds time_slice_;
  std::vector<std::uint32_t> ranks_;
  std::vector<Picoseconds> ready_;  // when a rank could continue
  std::size_t next_ = 0;            // whose turn begins at `clock_`, or has begun
  Picoseconds clock_ = 0;
  Picoseconds slice_end_ = kMaxTime;
  bool is_busy_ = false;
};

struct CoreInTurns {
  SharedCore turns;
  Picoseconds event = kMaxTime;  // when it continues; kMaxTime: not in the queue
};

// A large message of a node that its receiver copies.
struct PendingCopy {
  std::uint32_t message = 0;
  Picoseconds ready = 0;  // the sender's request is there, and the receive is posted
};

// A rank that shares a core with others.
struct Seat {
  std::uint32_t core = kNoIndex;       // kNoIndex: it has one of its own
  std::uint32_t next_core = kNoIndex;  // where it goes when it hands its core over
  std::uint32_t first_core = 0;        // of its node
  std::vector<PendingCopy> copies;     // when it has the core
};

}  // namespace tare::replay
