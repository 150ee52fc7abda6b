// hierarchy_moves.h: fills, evictions, write-backs and prefetches of the cache hierarchy.
#pragma once

#include <algorithm>

#include "model/core/hierarchy.h"

namespace tare::model {

// Each cache with random replacement has its own random sequence.
inline std::uint64_t SeedOf(const Processor& processor, unsigned cache) {
  return processor.seed * 8 + cache;
}

inline constexpr std::array<Event, 3> kSecondMisses = {Event::kL2InstructionMisses,
                                                       Event::kL2LoadMisses, Event::kL2StoreMisses};
inline constexpr std::array<Event, 3> kThirdMisses = {Event::kL3InstructionMisses,
                                                      Event::kL3LoadMisses, Event::kL3StoreMisses};

template <bool kPlain>
Hierarchy<kPlain>::Hierarchy(const Processor& processor, RecentLines& code, RecentLines& data)
    : code_(processor.l1i, SeedOf(processor, 0), code),
      data_(processor.l1d, SeedOf(processor, 1), data),
      once_(processor.split == Split::kOnce),
      shortest_line_(std::min(processor.l1i.line_bytes, processor.l1d.line_bytes)),
      page_mask_(~(processor.page_bytes - 1)),
      prefetching_(processor.prefetching) {
  if (processor.l2) AddOuter(*processor.l2, SeedOf(processor, 2));
  if (processor.l3) AddOuter(*processor.l3, SeedOf(processor, 3));
  if (prefetching_.stride_entries > 0) strides_.emplace(prefetching_.stride_entries);
}

template <bool kPlain>
void Hierarchy<kPlain>::AddOuter(const CacheLevel& description, std::uint64_t seed) {
  const bool second = outer_.empty();
  outer_.push_back({.level = OuterLevel(description, seed, false, &clock_),
                    .write = description.write,
                    .inclusion = description.inclusion,
                    .misses = second ? kSecondMisses : kThirdMisses,
                    .write_backs = second ? Event::kL2WriteBacks : Event::kL3WriteBacks});
}

template <bool kPlain>
void Hierarchy<kPlain>::Fetch(std::uint64_t address, std::uint64_t bytes, EventCounts& to) {
  if (!kPlain && once_) return AccessOnce(code_, address, bytes, Cause::kInstruction, to);
  const std::uint64_t last = (address + bytes - 1) & code_.level().line_mask();
  for (std::uint64_t line = address & code_.level().line_mask();;
       line += code_.level().line_bytes()) {
    FetchLine(line, to);
    if (line == last) [[likely]]
      return;
  }
}

template <bool kPlain>
void Hierarchy<kPlain>::Access(std::uint64_t address, std::uint64_t bytes, bool store,
                               std::uint64_t site, EventCounts& to) {
  if (!kPlain && once_) {
    return AccessOnce(data_, address, bytes, store ? Cause::kStore : Cause::kLoad, to);
  }
  const std::uint64_t last = (address + bytes - 1) & data_.level().line_mask();
  for (std::uint64_t line = address & data_.level().line_mask();;
       line += data_.level().line_bytes()) {
    AccessLine(line, store, site, to);
    if (line == last) [[likely]]
      return;
  }
}

// Looks up both lines in this level before the next level is accessed, as Cachegrind does.
template <bool kPlain>
bool Hierarchy<kPlain>::MissesFirst(First& first, std::uint64_t address, std::uint64_t end) {
  const auto missed = [&first](LineEntry key) {
    Spot spot = first.Find(key);
    if (!spot.hit()) {
      first.Insert(spot, key);
      return true;
    }
    first.Touch(spot);
    first.Settle(spot);
    return false;
  };
  const LineEntry from = first.level().KeyAt(address);
  const LineEntry until = first.level().KeyAt(end);
  const bool from_missed = missed(from);
  const bool until_missed = from != until && missed(until);
  return from_missed || until_missed;
}

template <bool kPlain>
bool Hierarchy<kPlain>::MissesOuter(OuterLevel& level, std::uint64_t address, std::uint64_t end) {
  const auto missed = [&level](LineEntry key) {
    Spot spot = level.Find(key);
    const bool hit = spot.hit();
    if (hit) {
      level.Touch(spot);
    } else {
      level.Insert(spot, key);
    }
    return !hit;
  };
  const LineEntry from = level.KeyAt(address);
  const LineEntry until = level.KeyAt(end);
  const bool from_missed = missed(from);
  const bool until_missed = from != until && missed(until);
  return from_missed || until_missed;
}

template <bool kPlain>
void Hierarchy<kPlain>::AccessOnce(First& first, std::uint64_t address, std::uint64_t bytes,
                                   Cause cause, EventCounts& to) {
  // Cachegrind's accesses span at most two lines.
  const std::uint64_t end = address + std::min(bytes, shortest_line_) - 1;
  if (!MissesFirst(first, address, end)) return;
  constexpr std::array kFirstMisses = {Event::kL1iMisses, Event::kL1dLoadMisses,
                                       Event::kL1dStoreMisses};
  const auto by_cause = static_cast<std::size_t>(cause);
  to.Add(kFirstMisses[by_cause]);
  for (Outer& outer : outer_) {
    if (!MissesOuter(outer.level, address, end)) return;
    to.Add(outer.misses[by_cause]);
  }
}

template <bool kPlain>
bool Hierarchy<kPlain>::UseCode(const Spot& spot, EventCounts& to) {
  code_.Touch(spot);
  const bool prefetched = !kPlain && (spot.entry() & kPrefetched) != 0;
  if (prefetched) to.Add(Event::kPrefetchesUsed);
  spot.entry() &= ~kPrefetched;
  code_.Settle(spot);
  return prefetched;
}

template <bool kPlain>
void Hierarchy<kPlain>::FetchLine(std::uint64_t address, EventCounts& to) {
  const LineEntry key = code_.level().KeyAt(address);
  Spot spot = code_.Find(key);
  if (spot.hit()) {
    if (!UseCode(spot, to)) return;
  } else {
    to.Add(Event::kL1iMisses);
    InsertCode(spot, key | FillFrom<0>(address, Cause::kInstruction, to), to);
  }
  if (!kPlain) PrefetchAfterCode(address, to);
}

template <bool kPlain>
bool Hierarchy<kPlain>::UseData(const Spot& spot, bool store, EventCounts& to) {
  data_.Touch(spot);
  LineEntry& entry = spot.entry();
  const bool prefetched = !kPlain && (entry & kPrefetched) != 0;
  if (prefetched) to.Add(Event::kPrefetchesUsed);
  entry &= ~kPrefetched;
  if (store && data_.write() == WritePolicy::kBack) entry |= kDirty;
  data_.Settle(spot);
  if (store && data_.write() == WritePolicy::kThrough) Write<0>(AddressOf(entry), to);
  return prefetched;
}

template <bool kPlain>
bool Hierarchy<kPlain>::MissData(Spot& spot, LineEntry key, bool store, EventCounts& to) {
  to.Add(store ? Event::kL1dStoreMisses : Event::kL1dLoadMisses);
  if (store && data_.write() == WritePolicy::kThrough) {
    Write<0>(AddressOf(key), to);
    return false;
  }
  LineEntry entry = key | FillFrom<0>(AddressOf(key), store ? Cause::kStore : Cause::kLoad, to);
  if (store && data_.write() == WritePolicy::kBack) entry |= kDirty;
  InsertData(spot, entry, to);
  return true;
}

template <bool kPlain>
void Hierarchy<kPlain>::AccessLine(std::uint64_t address, bool store, std::uint64_t site,
                                   EventCounts& to) {
  const LineEntry key = data_.level().KeyAt(address);
  Spot spot = data_.Find(key);
  const bool learns = spot.hit() ? UseData(spot, store, to) : MissData(spot, key, store, to);
  if (!kPlain && learns) PrefetchAfterData(address, site, to);
}

template <bool kPlain>
template <std::size_t kOuter>
LineEntry Hierarchy<kPlain>::FillFrom(std::uint64_t address, Cause cause, EventCounts& to) {
  if constexpr (kOuter < kMaxOuter) {
    if (kOuter >= outer_.size()) return 0;
    if (kOuter + 1 < outer_.size()) outer_[kOuter + 1].level.PrefetchSet(address);
    Outer& here = outer_[kOuter];
    const LineEntry key = here.level.KeyAt(address);
    const bool exclusive = IsExclusive(kOuter);
    const Spot spot = here.level.Find(key);
    if (spot.hit() && exclusive) return here.level.Remove(key) & kDirty;
    if (spot.hit()) {
      here.level.Touch(spot);
      return 0;
    }
    if (cause != Cause::kPrefetch) to.Add(here.misses[static_cast<std::size_t>(cause)]);
    const LineEntry dirty = FillFrom<kOuter + 1>(address, cause, to);
    if (exclusive) return dirty;
    InsertOuter<kOuter>(spot, key | dirty, to);
    return 0;
  }
  return 0;
}

template <bool kPlain>
template <std::size_t kOuter>
void Hierarchy<kPlain>::Write(std::uint64_t address, EventCounts& to) {
  if constexpr (kOuter < kMaxOuter) {
    if (kOuter >= outer_.size()) return;
    Outer& here = outer_[kOuter];
    const LineEntry key = here.level.KeyAt(address);
    const Spot spot = here.level.Find(key);
    if (spot.hit()) {
      here.level.Touch(spot);
    } else {
      to.Add(here.misses[static_cast<std::size_t>(Cause::kStore)]);
    }
    if (WritesThrough(here)) return Write<kOuter + 1>(address, to);
    if (spot.hit()) {
      spot.entry() |= kDirty;
    } else {
      InsertOuter<kOuter>(spot, key | kDirty | FillFrom<kOuter + 1>(address, Cause::kStore, to),
                          to);
    }
  }
}

template <bool kPlain>
void Hierarchy<kPlain>::InsertData(Spot& spot, LineEntry entry, EventCounts& to) {
  const LineEntry evicted = data_.Insert(spot, entry);
  if (evicted == 0) return;
  const LineEntry dirty = evicted & kDirty;
  if (dirty != 0) to.Add(Event::kL1dWriteBacks);
  if (!IsExclusive(0)) {
    if (dirty != 0) HandleEviction<0>(AddressOf(evicted), dirty, to);
    return;
  }
  // L1I and L1D may contain the same line; it stays in the one that still has it.
  if (const Spot other = code_.Find(KeyOf(evicted)); other.hit()) {
    other.entry() |= dirty;
  } else {
    HandleEviction<0>(AddressOf(evicted), dirty, to);
  }
}

template <bool kPlain>
void Hierarchy<kPlain>::InsertCode(Spot& spot, LineEntry entry, EventCounts& to) {
  const LineEntry evicted = code_.Insert(spot, entry);
  if (evicted == 0 || !IsExclusive(0)) return;
  if (const Spot other = data_.Find(KeyOf(evicted)); other.hit()) {
    other.entry() |= evicted & kDirty;
  } else {
    HandleEviction<0>(AddressOf(evicted), evicted & kDirty, to);
  }
}

template <bool kPlain>
template <std::size_t kOuter>
void Hierarchy<kPlain>::InsertOuter(Spot spot, LineEntry entry, EventCounts& to) {
  if constexpr (kOuter < kMaxOuter) {
    Outer& here = outer_[kOuter];
    const LineEntry evicted = here.level.Insert(spot, entry);
    if (evicted == 0) return;
    LineEntry dirty = evicted & kDirty;
    if (!kPlain && here.inclusion == Inclusion::kInclusive)
      dirty |= BackInvalidate(kOuter, AddressOf(evicted), to);
    if (dirty != 0 && WritesBack(here)) to.Add(here.write_backs);
    if (dirty != 0 || IsExclusive(kOuter + 1))
      HandleEviction<kOuter + 1>(AddressOf(evicted), dirty, to);
  }
}

template <bool kPlain>
LineEntry Hierarchy<kPlain>::BackInvalidate(std::size_t outer, std::uint64_t address,
                                            EventCounts& to) {
  const std::uint64_t bytes = outer_[outer].level.line_bytes();
  LineEntry dirty = 0;
  const auto remove = [&](auto& cache, const auto& level, std::optional<Event> written) {
    for (std::uint64_t part = 0; part < bytes; part += level.line_bytes()) {
      const LineEntry part_dirty = cache.Remove(level.KeyAt(address + part)) & kDirty;
      if (part_dirty != 0 && written) to.Add(*written);
      dirty |= part_dirty;
    }
  };
  remove(code_, code_.level(), std::nullopt);
  remove(data_, data_.level(), Event::kL1dWriteBacks);
  for (std::size_t nearer = 0; nearer < outer; ++nearer) {
    Outer& cache = outer_[nearer];
    remove(cache.level, cache.level, cache.write_backs);
  }
  return dirty;
}

template <bool kPlain>
template <std::size_t kOuter>
void Hierarchy<kPlain>::HandleEviction(std::uint64_t address, LineEntry dirty, EventCounts& to) {
  if constexpr (kOuter < kMaxOuter) {
    if (kOuter >= outer_.size()) return;
    Outer& here = outer_[kOuter];
    if (WritesThrough(here)) return HandleEviction<kOuter + 1>(address, dirty, to);
    const LineEntry key = here.level.KeyAt(address);
    const Spot spot = here.level.Find(key);
    if (spot.hit()) {
      spot.entry() |= dirty;
      return;
    }
    // A line of an exclusive level must not be in two caches.
    if (IsExclusive(kOuter + 1)) dirty |= outer_[kOuter + 1].level.Remove(key) & kDirty;
    InsertOuter<kOuter>(spot, key | dirty, to);
  }
}

template <bool kPlain>
void Hierarchy<kPlain>::PrefetchData(std::uint64_t address, EventCounts& to) {
  const LineEntry key = data_.level().KeyAt(address);
  Spot spot = data_.Find(key);
  if (spot.hit()) return;
  to.Add(Event::kPrefetches);
  InsertData(spot, key | kPrefetched | FillFrom<0>(address, Cause::kPrefetch, to), to);
}

template <bool kPlain>
void Hierarchy<kPlain>::PrefetchAfterData(std::uint64_t address, std::uint64_t site,
                                          EventCounts& to) {
  const std::uint64_t bytes = data_.level().line_bytes();
  if (prefetching_.next_line && OnSamePage(address, address + bytes)) {
    PrefetchData(address + bytes, to);
  }
  if (!strides_) return;
  const std::int64_t step = strides_->Learn(site, address >> data_.level().line_shift());
  if (step == 0) return;
  std::uint64_t ahead = address;
  for (unsigned i = 0; i < prefetching_.stride_degree; ++i) {
    ahead += static_cast<std::uint64_t>(step) * bytes;
    if (!OnSamePage(address, ahead)) return;
    PrefetchData(ahead, to);
  }
}

template <bool kPlain>
void Hierarchy<kPlain>::PrefetchAfterCode(std::uint64_t address, EventCounts& to) {
  const std::uint64_t next = address + code_.level().line_bytes();
  if (!prefetching_.instructions || !OnSamePage(address, next)) return;
  const LineEntry key = code_.level().KeyAt(next);
  Spot spot = code_.Find(key);
  if (spot.hit()) return;
  to.Add(Event::kPrefetches);
  InsertCode(spot, key | kPrefetched | FillFrom<0>(next, Cause::kPrefetch, to), to);
}

}  // namespace tare::model
