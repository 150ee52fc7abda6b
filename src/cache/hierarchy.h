// hierarchy.h: the caches of a core together: what a line that is needed moves between them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cache/event.h"
#include "cache/first_level.h"
#include "cache/level.h"
#include "cache/line_entry.h"
#include "cache/processor.h"
#include "cache/recent_lines.h"
#include "cache/stride_table.h"

namespace tare::cache {

// docs/methods/virtual-pmu.md says what moves where, and when.
class Hierarchy {
 public:
  // `processor` is valid; those for its first levels of code and data outlive this.
  Hierarchy(const Processor& processor, RecentLines& code, RecentLines& data);
  Hierarchy(const Hierarchy&) = delete;
  Hierarchy& operator=(const Hierarchy&) = delete;

  const FirstLevel& code() const { return code_; }
  const FirstLevel& data() const { return data_; }

  void Fetch(std::uint64_t address, std::uint64_t bytes, EventCounts& to);
  void Access(std::uint64_t address, std::uint64_t bytes, bool store, std::uint64_t site,
              EventCounts& to);

  // For tests: whether a level holds the line of the address: 0 code, 1 data, 2 second, 3 third.
  bool Holds(unsigned level, std::uint64_t address);

 private:
  enum class Cause { kInstruction, kLoad, kStore, kPrefetch };

  // A level beyond the first. They are numbered from the core outwards.
  struct Outer {
    Level level;
    Writing writing;
    Containing containing;
    std::array<Event, 3> misses;  // by cause
    Event write_backs;
  };

  void AddOuter(const CacheLevel& description, std::uint64_t seed);
  bool IsExclusive(std::size_t outer) const {
    return outer < outer_.size() && outer_[outer].containing == Containing::kExclusive;
  }
  bool OnSamePage(std::uint64_t a, std::uint64_t b) const { return ((a ^ b) & page_mask_) == 0; }

  void FetchLine(std::uint64_t address, EventCounts& to);
  void AccessLine(std::uint64_t address, bool store, std::uint64_t site, EventCounts& to);
  // Whether a prefetcher learns from it.
  bool UseData(LineEntry* entry, bool store, EventCounts& to);
  bool MissData(LineEntry key, bool store, EventCounts& to);
  bool UseCode(LineEntry* entry, EventCounts& to);
  static bool MissesFirst(FirstLevel& first, std::uint64_t address, std::uint64_t end);
  static bool MissesOuter(Level& level, std::uint64_t address, std::uint64_t end);
  void AccessOnce(FirstLevel& first, std::uint64_t address, std::uint64_t bytes, Cause cause,
                  EventCounts& to);

  // A line for the nearer level; kChanged when it was taken out of an exclusive level so marked.
  LineEntry Bring(std::size_t outer, std::uint64_t address, Cause cause, EventCounts& to);
  // A store that a nearer level passes through.
  void Write(std::size_t outer, std::uint64_t address, EventCounts& to);
  // A line that the nearer level gave up.
  void TakeBack(std::size_t outer, std::uint64_t address, LineEntry changed, EventCounts& to);
  void InsertOuter(std::size_t outer, LineEntry entry, EventCounts& to);
  // What is nearer than an inclusive level leaves with its line; kChanged when any was so marked.
  LineEntry RemoveNearer(std::size_t outer, std::uint64_t address, EventCounts& to);

  void InsertData(LineEntry entry, EventCounts& to);
  void InsertCode(LineEntry entry, EventCounts& to);
  void PrefetchData(std::uint64_t address, EventCounts& to);
  void PrefetchAfterData(std::uint64_t address, std::uint64_t site, EventCounts& to);
  void PrefetchAfterCode(std::uint64_t address, EventCounts& to);

  FirstLevel code_;
  FirstLevel data_;
  std::uint64_t clock_ = 0;  // of the outer levels
  std::vector<Outer> outer_;
  bool once_;
  std::uint64_t shortest_line_;
  std::uint64_t page_mask_;
  Prefetching prefetching_;
  std::optional<StrideTable> strides_;
};

}  // namespace tare::cache
