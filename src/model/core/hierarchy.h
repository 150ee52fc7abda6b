// hierarchy.h: the caches of a core together, and how lines move between them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/core/cache_level.h"
#include "model/core/first_level.h"
#include "model/core/line_entry.h"
#include "model/core/model_event.h"
#include "model/core/processor.h"
#include "model/core/recent_lines.h"
#include "model/core/stride_table.h"

namespace tare::model {

// Whether all caches are of the common kind: equal line sizes, LRU, write-back, NINE, sets in a
// power of two, no prefetching, and an access that spans two lines counts as two.
bool IsPlain(const Processor& processor);

// docs/methods/virtual-pmu.md defines when lines move where. With kPlain the processor must be
// plain, which saves checks at each access.
template <bool kPlain>
class Hierarchy {
 public:
  // `processor` must be valid. `code` and `data` belong to its L1 caches and must outlive this
  // object.
  Hierarchy(const Processor& processor, RecentLines& code, RecentLines& data);
  Hierarchy(const Hierarchy&) = delete;
  Hierarchy& operator=(const Hierarchy&) = delete;

  unsigned code_line_bytes() const { return static_cast<unsigned>(code_.level().line_bytes()); }
  unsigned data_line_bytes() const { return static_cast<unsigned>(data_.level().line_bytes()); }

  void Fetch(std::uint64_t address, std::uint64_t bytes, EventCounts& to);
  void Access(std::uint64_t address, std::uint64_t bytes, bool store, std::uint64_t site,
              EventCounts& to);
  // As in FirstLevel.
  bool StoreToRecent(std::uint64_t address, std::uint64_t last_byte, std::uint64_t time) {
    return data_.StoreToRecent(address, last_byte, time);
  }

  // For tests: whether a level contains the line of the address. 0 is L1I, 1 is L1D, 2 is L2, 3 is
  // L3.
  bool Contains(unsigned level, std::uint64_t address) {
    if (level == 0) return code_.Find(code_.level().KeyAt(address)).hit();
    if (level == 1) return data_.Find(data_.level().KeyAt(address)).hit();
    if (level - 2 >= outer_.size()) return false;
    OuterLevel& outer = outer_[level - 2].level;
    return outer.Find(outer.KeyAt(address)).hit();
  }

 private:
  using First = FirstLevel<kPlain>;
  using OuterLevel = Level<kPlain ? PolicyKind::kLru : PolicyKind::kGiven, kPlain>;
  static constexpr std::size_t kMaxOuter = 2;
  enum class Cause { kInstruction, kLoad, kStore, kPrefetch };

  // A level beyond L1. The levels are numbered from the core outwards.
  struct Outer {
    OuterLevel level;
    WritePolicy write;
    Inclusion inclusion;
    std::array<Event, 3> misses;  // by cause
    Event write_backs;
  };

  void AddOuter(const CacheLevel& description, std::uint64_t seed);
  bool IsExclusive(std::size_t outer) const {
    return !kPlain && outer < outer_.size() && outer_[outer].inclusion == Inclusion::kExclusive;
  }
  static bool WritesThrough(const Outer& outer) {
    return !kPlain && outer.write == WritePolicy::kThrough;
  }
  static bool WritesBack(const Outer& outer) { return kPlain || outer.write == WritePolicy::kBack; }
  bool OnSamePage(std::uint64_t a, std::uint64_t b) const { return ((a ^ b) & page_mask_) == 0; }

  void FetchLine(std::uint64_t address, EventCounts& to);
  void AccessLine(std::uint64_t address, bool store, std::uint64_t site, EventCounts& to);
  // Return whether a prefetcher learns from the access.
  bool UseData(const Spot& spot, bool store, EventCounts& to);
  bool MissData(Spot& spot, LineEntry key, bool store, EventCounts& to);
  bool UseCode(const Spot& spot, EventCounts& to);
  static bool MissesFirst(First& first, std::uint64_t address, std::uint64_t end);
  static bool MissesOuter(OuterLevel& level, std::uint64_t address, std::uint64_t end);
  void AccessOnce(First& first, std::uint64_t address, std::uint64_t bytes, Cause cause,
                  EventCounts& to);

  // Fetches a line for the nearer level. Returns kDirty if the line was removed from an exclusive
  // level with that mark.
  template <std::size_t kOuter>
  LineEntry FillFrom(std::uint64_t address, Cause cause, EventCounts& to);
  // Handles a store that a nearer level writes through.
  template <std::size_t kOuter>
  void Write(std::uint64_t address, EventCounts& to);
  // Handles a line that the nearer level evicted.
  template <std::size_t kOuter>
  void HandleEviction(std::uint64_t address, LineEntry dirty, EventCounts& to);
  // `spot` is for a line that is not in the level.
  template <std::size_t kOuter>
  void InsertOuter(Spot spot, LineEntry entry, EventCounts& to);
  // Back-invalidates the line of an inclusive level in all nearer levels. Returns kDirty if any
  // copy had that mark.
  LineEntry BackInvalidate(std::size_t outer, std::uint64_t address, EventCounts& to);

  void InsertData(Spot& spot, LineEntry entry, EventCounts& to);
  void InsertCode(Spot& spot, LineEntry entry, EventCounts& to);
  void PrefetchData(std::uint64_t address, EventCounts& to);
  void PrefetchAfterData(std::uint64_t address, std::uint64_t site, EventCounts& to);
  void PrefetchAfterCode(std::uint64_t address, EventCounts& to);

  First code_;
  First data_;
  std::uint64_t clock_ = 0;  // of the outer levels
  std::vector<Outer> outer_;
  bool once_;
  std::uint64_t shortest_line_;
  std::uint64_t page_mask_;
  Prefetching prefetching_;
  std::optional<StrideTable> strides_;
};

}  // namespace tare::model
