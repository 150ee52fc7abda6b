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
                    .writing = description.writing,
                    .containing = description.containing,
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
    if (!spot.held()) {
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
    const bool held = spot.held();
    if (held) {
      level.Touch(spot);
    } else {
      level.Insert(spot, key);
    }
    return !held;
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
  if (spot.held()) {
    if (!UseCode(spot, to)) return;
  } else {
    to.Add(Event::kL1iMisses);
    InsertCode(spot, key | Bring<0>(address, Cause::kInstruction, to), to);
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
  if (store && data_.writing() == Writing::kBack) entry |= kChanged;
  data_.Settle(spot);
  if (store && data_.writing() == Writing::kThrough) Write<0>(AddressOf(entry), to);
  return prefetched;
}

template <bool kPlain>
bool Hierarchy<kPlain>::MissData(Spot& spot, LineEntry key, bool store, EventCounts& to) {
  to.Add(store ? Event::kL1dStoreMisses : Event::kL1dLoadMisses);
  if (store && data_.writing() == Writing::kThrough) {
    Write<0>(AddressOf(key), to);
    return false;
  }
  LineEntry entry = key | Bring<0>(AddressOf(key), store ? Cause::kStore : Cause::kLoad, to);
  if (store && data_.writing() == Writing::kBack) entry |= kChanged;
  InsertData(spot, entry, to);
  return true;
}

template <bool kPlain>
void Hierarchy<kPlain>::AccessLine(std::uint64_t address, bool store, std::uint64_t site,
                                   EventCounts& to) {
  const LineEntry key = data_.level().KeyAt(address);
  Spot spot = data_.Find(key);
  const bool learns = spot.held() ? UseData(spot, store, to) : MissData(spot, key, store, to);
  if (!kPlain && learns) PrefetchAfterData(address, site, to);
}

template <bool kPlain>
template <std::size_t kOuter>
LineEntry Hierarchy<kPlain>::Bring(std::uint64_t address, Cause cause, EventCounts& to) {
  if constexpr (kOuter < kMaxOuter) {
    if (kOuter >= outer_.size()) return 0;
    if (kOuter + 1 < outer_.size()) outer_[kOuter + 1].level.Expect(address);
    Outer& here = outer_[kOuter];
    const LineEntry key = here.level.KeyAt(address);
    const bool exclusive = IsExclusive(kOuter);
    const Spot spot = here.level.Find(key);
    if (spot.held() && exclusive) return here.level.Remove(key) & kChanged;
    if (spot.held()) {
      here.level.Touch(spot);
      return 0;
    }
    if (cause != Cause::kPrefetch) to.Add(here.misses[static_cast<std::size_t>(cause)]);
    const LineEntry changed = Bring<kOuter + 1>(address, cause, to);
    if (exclusive) return changed;
    InsertOuter<kOuter>(spot, key | changed, to);
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
    if (spot.held()) {
      here.level.Touch(spot);
    } else {
      to.Add(here.misses[static_cast<std::size_t>(Cause::kStore)]);
    }
    if (WritesThrough(here)) return Write<kOuter + 1>(address, to);
    if (spot.held()) {
      spot.entry() |= kChanged;
    } else {
      InsertOuter<kOuter>(spot, key | kChanged | Bring<kOuter + 1>(address, Cause::kStore, to), to);
    }
  }
}

template <bool kPlain>
void Hierarchy<kPlain>::InsertData(Spot& spot, LineEntry entry, EventCounts& to) {
  const LineEntry left = data_.Insert(spot, entry);
  if (left == 0) return;
  const LineEntry changed = left & kChanged;
  if (changed != 0) to.Add(Event::kL1dWriteBacks);
  if (!IsExclusive(0)) {
    if (changed != 0) TakeBack<0>(AddressOf(left), changed, to);
    return;
  }
  // L1I and L1D may contain the same line; it stays in the one that still has it.
  if (const Spot other = code_.Find(KeyOf(left)); other.held()) {
    other.entry() |= changed;
  } else {
    TakeBack<0>(AddressOf(left), changed, to);
  }
}

template <bool kPlain>
void Hierarchy<kPlain>::InsertCode(Spot& spot, LineEntry entry, EventCounts& to) {
  const LineEntry left = code_.Insert(spot, entry);
  if (left == 0 || !IsExclusive(0)) return;
  if (const Spot other = data_.Find(KeyOf(left)); other.held()) {
    other.entry() |= left & kChanged;
  } else {
    TakeBack<0>(AddressOf(left), left & kChanged, to);
  }
}

template <bool kPlain>
template <std::size_t kOuter>
void Hierarchy<kPlain>::InsertOuter(Spot spot, LineEntry entry, EventCounts& to) {
  if constexpr (kOuter < kMaxOuter) {
    Outer& here = outer_[kOuter];
    const LineEntry left = here.level.Insert(spot, entry);
    if (left == 0) return;
    LineEntry changed = left & kChanged;
    if (!kPlain && here.containing == Containing::kInclusive)
      changed |= RemoveNearer(kOuter, AddressOf(left), to);
    if (changed != 0 && WritesBack(here)) to.Add(here.write_backs);
    if (changed != 0 || IsExclusive(kOuter + 1)) TakeBack<kOuter + 1>(AddressOf(left), changed, to);
  }
}

template <bool kPlain>
LineEntry Hierarchy<kPlain>::RemoveNearer(std::size_t outer, std::uint64_t address,
                                          EventCounts& to) {
  const std::uint64_t bytes = outer_[outer].level.line_bytes();
  LineEntry changed = 0;
  const auto remove = [&](auto& cache, const auto& level, std::optional<Event> written) {
    for (std::uint64_t part = 0; part < bytes; part += level.line_bytes()) {
      const LineEntry part_changed = cache.Remove(level.KeyAt(address + part)) & kChanged;
      if (part_changed != 0 && written) to.Add(*written);
      changed |= part_changed;
    }
  };
  remove(code_, code_.level(), std::nullopt);
  remove(data_, data_.level(), Event::kL1dWriteBacks);
  for (std::size_t nearer = 0; nearer < outer; ++nearer) {
    Outer& cache = outer_[nearer];
    remove(cache.level, cache.level, cache.write_backs);
  }
  return changed;
}

template <bool kPlain>
template <std::size_t kOuter>
void Hierarchy<kPlain>::TakeBack(std::uint64_t address, LineEntry changed, EventCounts& to) {
  if constexpr (kOuter < kMaxOuter) {
    if (kOuter >= outer_.size()) return;
    Outer& here = outer_[kOuter];
    if (WritesThrough(here)) return TakeBack<kOuter + 1>(address, changed, to);
    const LineEntry key = here.level.KeyAt(address);
    const Spot spot = here.level.Find(key);
    if (spot.held()) {
      spot.entry() |= changed;
      return;
    }
    // A line of an exclusive level must not be in two caches.
    if (IsExclusive(kOuter + 1)) changed |= outer_[kOuter + 1].level.Remove(key) & kChanged;
    InsertOuter<kOuter>(spot, key | changed, to);
  }
}

template <bool kPlain>
void Hierarchy<kPlain>::PrefetchData(std::uint64_t address, EventCounts& to) {
  const LineEntry key = data_.level().KeyAt(address);
  Spot spot = data_.Find(key);
  if (spot.held()) return;
  to.Add(Event::kPrefetches);
  InsertData(spot, key | kPrefetched | Bring<0>(address, Cause::kPrefetch, to), to);
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
  if (spot.held()) return;
  to.Add(Event::kPrefetches);
  InsertCode(spot, key | kPrefetched | Bring<0>(next, Cause::kPrefetch, to), to);
}

}  // namespace tare::model
