// hierarchy.h: the caches of a core together: what a line that is needed moves between them.
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

// Whether the caches are as most are: lines of one size, the one used longest ago leaves, stores
// are written back, an access in two lines is two.
bool IsPlain(const Processor& processor);

// docs/methods/virtual-pmu.md says what moves where, and when. With kPlain the processor is plain,
// which need then not be asked at each access.
template <bool kPlain>
class Hierarchy {
 public:
  // `processor` is valid; those for its first levels of code and data outlive this.
  Hierarchy(const Processor& processor, RecentLines& code, RecentLines& data);
  Hierarchy(const Hierarchy&) = delete;
  Hierarchy& operator=(const Hierarchy&) = delete;

  unsigned code_line_bytes() const { return static_cast<unsigned>(code_.level().line_bytes()); }
  unsigned data_line_bytes() const { return static_cast<unsigned>(data_.level().line_bytes()); }

  void Fetch(std::uint64_t address, std::uint64_t bytes, EventCounts& to);
  void Access(std::uint64_t address, std::uint64_t bytes, bool store, std::uint64_t site,
              EventCounts& to);
  // As that of FirstLevel.
  bool StoreToRecent(std::uint64_t address, std::uint64_t last_byte, std::uint64_t moment) {
    return data_.StoreToRecent(address, last_byte, moment);
  }

  // For tests: whether a level holds the line of the address: 0 code, 1 data, 2 second, 3 third.
  bool Holds(unsigned level, std::uint64_t address) {
    if (level == 0) return code_.Find(code_.level().KeyAt(address)).held();
    if (level == 1) return data_.Find(data_.level().KeyAt(address)).held();
    if (level - 2 >= outer_.size()) return false;
    OuterLevel& outer = outer_[level - 2].level;
    return outer.Find(outer.KeyAt(address)).held();
  }

 private:
  using First = FirstLevel<kPlain>;
  using OuterLevel = Level<kPlain ? PolicyKind::kLru : PolicyKind::kGiven, kPlain>;
  static constexpr std::size_t kMaxOuter = 2;
  enum class Cause { kInstruction, kLoad, kStore, kPrefetch };

  // A level beyond the first. They are numbered from the core outwards.
  struct Outer {
    OuterLevel level;
    Writing writing;
    Containing containing;
    std::array<Event, 3> misses;  // by cause
    Event write_backs;
  };

  void AddOuter(const CacheLevel& description, std::uint64_t seed);
  bool IsExclusive(std::size_t outer) const {
    return !kPlain && outer < outer_.size() && outer_[outer].containing == Containing::kExclusive;
  }
  static bool WritesThrough(const Outer& outer) {
    return !kPlain && outer.writing == Writing::kThrough;
  }
  static bool WritesBack(const Outer& outer) { return kPlain || outer.writing == Writing::kBack; }
  bool OnSamePage(std::uint64_t a, std::uint64_t b) const { return ((a ^ b) & page_mask_) == 0; }

  void FetchLine(std::uint64_t address, EventCounts& to);
  void AccessLine(std::uint64_t address, bool store, std::uint64_t site, EventCounts& to);
  // Whether a prefetcher learns from it.
  bool UseData(const Spot& spot, bool store, EventCounts& to);
  bool MissData(Spot& spot, LineEntry key, bool store, EventCounts& to);
  bool UseCode(const Spot& spot, EventCounts& to);
  static bool MissesFirst(First& first, std::uint64_t address, std::uint64_t end);
  static bool MissesOuter(OuterLevel& level, std::uint64_t address, std::uint64_t end);
  void AccessOnce(First& first, std::uint64_t address, std::uint64_t bytes, Cause cause,
                  EventCounts& to);

  // A line for the nearer level; kChanged when it was taken out of an exclusive level so marked.
  template <std::size_t kOuter>
  LineEntry Bring(std::uint64_t address, Cause cause, EventCounts& to);
  // A store that a nearer level passes through.
  template <std::size_t kOuter>
  void Write(std::uint64_t address, EventCounts& to);
  // A line that the nearer level gave up.
  template <std::size_t kOuter>
  void TakeBack(std::uint64_t address, LineEntry changed, EventCounts& to);
  // The spot of a line that the level does not hold.
  template <std::size_t kOuter>
  void InsertOuter(Spot spot, LineEntry entry, EventCounts& to);
  // What is nearer than an inclusive level leaves with its line; kChanged when any was so marked.
  LineEntry RemoveNearer(std::size_t outer, std::uint64_t address, EventCounts& to);

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
