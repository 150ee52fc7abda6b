// hierarchy.cc: lines that come nearer to the core.
#include "cache/hierarchy.h"

#include <algorithm>

namespace tare::cache {
namespace {

// Each cache that replaces at random has a row of numbers of its own.
std::uint64_t SeedOf(const Processor& processor, unsigned cache) {
  return processor.seed * 8 + cache;
}

constexpr std::array<Event, 3> kSecondMisses = {Event::kL2InstructionMisses, Event::kL2LoadMisses,
                                                Event::kL2StoreMisses};
constexpr std::array<Event, 3> kThirdMisses = {Event::kL3InstructionMisses, Event::kL3LoadMisses,
                                               Event::kL3StoreMisses};

}  // namespace

Hierarchy::Hierarchy(const Processor& processor, RecentLines& code, RecentLines& data)
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

void Hierarchy::AddOuter(const CacheLevel& description, std::uint64_t seed) {
  const bool second = outer_.empty();
  outer_.push_back({.level = Level(description, seed, false, &clock_),
                    .writing = description.writing,
                    .containing = description.containing,
                    .misses = second ? kSecondMisses : kThirdMisses,
                    .write_backs = second ? Event::kL2WriteBacks : Event::kL3WriteBacks});
}

void Hierarchy::Fetch(std::uint64_t address, std::uint64_t bytes, EventCounts& to) {
  if (once_) return AccessOnce(code_, address, bytes, Cause::kInstruction, to);
  const std::uint64_t last = (address + bytes - 1) & code_.level().line_mask();
  std::uint64_t line = address & code_.level().line_mask();
  for (; line != last; line += code_.level().line_bytes()) FetchLine(line, to);
  FetchLine(last, to);
}

void Hierarchy::Access(std::uint64_t address, std::uint64_t bytes, bool store, std::uint64_t site,
                       EventCounts& to) {
  if (once_) {
    return AccessOnce(data_, address, bytes, store ? Cause::kStore : Cause::kLoad, to);
  }
  const std::uint64_t last = (address + bytes - 1) & data_.level().line_mask();
  std::uint64_t line = address & data_.level().line_mask();
  for (; line != last; line += data_.level().line_bytes()) AccessLine(line, store, site, to);
  AccessLine(last, store, site, to);
}

// Both lines are used before any is looked for beyond, as Cachegrind does.
bool Hierarchy::MissesFirst(FirstLevel& first, std::uint64_t address, std::uint64_t end) {
  const auto missed = [&first](LineEntry key) {
    if (LineEntry* entry = first.Use(key)) {
      first.Settle(entry);
      return false;
    }
    first.Insert(key);
    return true;
  };
  const LineEntry from = first.level().KeyAt(address);
  const LineEntry until = first.level().KeyAt(end);
  const bool from_missed = missed(from);
  const bool until_missed = from != until && missed(until);
  return from_missed || until_missed;
}

bool Hierarchy::MissesOuter(Level& level, std::uint64_t address, std::uint64_t end) {
  const auto missed = [&level](LineEntry key) {
    if (level.Use(key) != nullptr) return false;
    level.Insert(key);
    return true;
  };
  const LineEntry from = level.KeyAt(address);
  const LineEntry until = level.KeyAt(end);
  const bool from_missed = missed(from);
  const bool until_missed = from != until && missed(until);
  return from_missed || until_missed;
}

void Hierarchy::AccessOnce(FirstLevel& first, std::uint64_t address, std::uint64_t bytes,
                           Cause cause, EventCounts& to) {
  // Cachegrind's accesses lie in two lines at most.
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

bool Hierarchy::UseCode(LineEntry* entry, EventCounts& to) {
  const bool prefetched = (*entry & kPrefetched) != 0;
  if (prefetched) to.Add(Event::kPrefetchesUsed);
  *entry &= ~kPrefetched;
  code_.Settle(entry);
  return prefetched;
}

void Hierarchy::FetchLine(std::uint64_t address, EventCounts& to) {
  const LineEntry key = code_.level().KeyAt(address);
  if (LineEntry* entry = code_.Use(key)) {
    if (!UseCode(entry, to)) return;
  } else {
    to.Add(Event::kL1iMisses);
    InsertCode(key | Bring(0, address, Cause::kInstruction, to), to);
  }
  PrefetchAfterCode(address, to);
}

bool Hierarchy::UseData(LineEntry* entry, bool store, EventCounts& to) {
  const bool prefetched = (*entry & kPrefetched) != 0;
  if (prefetched) to.Add(Event::kPrefetchesUsed);
  *entry &= ~kPrefetched;
  if (store && data_.writing() == Writing::kBack) *entry |= kChanged;
  data_.Settle(entry);
  if (store && data_.writing() == Writing::kThrough) Write(0, AddressOf(*entry), to);
  return prefetched;
}

bool Hierarchy::MissData(LineEntry key, bool store, EventCounts& to) {
  to.Add(store ? Event::kL1dStoreMisses : Event::kL1dLoadMisses);
  if (store && data_.writing() == Writing::kThrough) {
    Write(0, AddressOf(key), to);
    return false;
  }
  LineEntry entry = key | Bring(0, AddressOf(key), store ? Cause::kStore : Cause::kLoad, to);
  if (store && data_.writing() == Writing::kBack) entry |= kChanged;
  InsertData(entry, to);
  return true;
}

void Hierarchy::AccessLine(std::uint64_t address, bool store, std::uint64_t site, EventCounts& to) {
  const LineEntry key = data_.level().KeyAt(address);
  LineEntry* entry = data_.Use(key);
  const bool learns = entry != nullptr ? UseData(entry, store, to) : MissData(key, store, to);
  if (learns) PrefetchAfterData(address, site, to);
}

LineEntry Hierarchy::Bring(std::size_t outer, std::uint64_t address, Cause cause, EventCounts& to) {
  if (outer == outer_.size()) return 0;
  if (outer + 1 < outer_.size()) outer_[outer + 1].level.Expect(address);
  Outer& here = outer_[outer];
  const LineEntry key = here.level.KeyAt(address);
  const bool exclusive = here.containing == Containing::kExclusive;
  if (exclusive) {
    if (const LineEntry held = here.level.Remove(key); held != 0) return held & kChanged;
  } else if (here.level.Use(key) != nullptr) {
    return 0;
  }
  if (cause != Cause::kPrefetch) to.Add(here.misses[static_cast<std::size_t>(cause)]);
  const LineEntry changed = Bring(outer + 1, address, cause, to);
  if (exclusive) return changed;
  InsertOuter(outer, key | changed, to);
  return 0;
}

void Hierarchy::Write(std::size_t outer, std::uint64_t address, EventCounts& to) {
  if (outer == outer_.size()) return;
  Outer& here = outer_[outer];
  const LineEntry key = here.level.KeyAt(address);
  LineEntry* entry = here.level.Use(key);
  if (entry == nullptr) to.Add(here.misses[static_cast<std::size_t>(Cause::kStore)]);
  if (here.writing == Writing::kThrough) return Write(outer + 1, address, to);
  if (entry != nullptr) {
    *entry |= kChanged;
  } else {
    InsertOuter(outer, key | kChanged | Bring(outer + 1, address, Cause::kStore, to), to);
  }
}

bool Hierarchy::Holds(unsigned level, std::uint64_t address) {
  if (level == 0) return code_.Find(code_.level().KeyAt(address)) != nullptr;
  if (level == 1) return data_.Find(data_.level().KeyAt(address)) != nullptr;
  if (level - 2 >= outer_.size()) return false;
  Level& outer = outer_[level - 2].level;
  return outer.Find(outer.KeyAt(address)) != nullptr;
}

}  // namespace tare::cache
