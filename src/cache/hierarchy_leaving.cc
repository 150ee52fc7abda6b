// hierarchy_leaving.cc: lines that leave a cache, and lines that nobody asked for yet.
#include "cache/hierarchy.h"

namespace tare::cache {

void Hierarchy::InsertData(LineEntry entry, EventCounts& to) {
  const LineEntry left = data_.Insert(entry);
  if (left == 0) return;
  const LineEntry changed = left & kChanged;
  if (changed != 0) to.Add(Event::kL1dWriteBacks);
  if (!IsExclusive(0)) {
    if (changed != 0) TakeBack(0, AddressOf(left), changed, to);
    return;
  }
  // Code and data may hold the same line; it stays with the one that still needs it.
  if (LineEntry* other = code_.Find(KeyOf(left))) {
    *other |= changed;
  } else {
    TakeBack(0, AddressOf(left), changed, to);
  }
}

void Hierarchy::InsertCode(LineEntry entry, EventCounts& to) {
  const LineEntry left = code_.Insert(entry);
  if (left == 0 || !IsExclusive(0)) return;
  if (LineEntry* other = data_.Find(KeyOf(left))) {
    *other |= left & kChanged;
  } else {
    TakeBack(0, AddressOf(left), left & kChanged, to);
  }
}

void Hierarchy::InsertOuter(std::size_t outer, LineEntry entry, EventCounts& to) {
  Outer& here = outer_[outer];
  const LineEntry left = here.level.Insert(entry).left;
  if (left == 0) return;
  LineEntry changed = left & kChanged;
  if (here.containing == Containing::kInclusive)
    changed |= RemoveNearer(outer, AddressOf(left), to);
  if (changed != 0 && here.writing == Writing::kBack) to.Add(here.write_backs);
  if (changed != 0 || IsExclusive(outer + 1)) TakeBack(outer + 1, AddressOf(left), changed, to);
}

LineEntry Hierarchy::RemoveNearer(std::size_t outer, std::uint64_t address, EventCounts& to) {
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

void Hierarchy::TakeBack(std::size_t outer, std::uint64_t address, LineEntry changed,
                         EventCounts& to) {
  if (outer == outer_.size()) return;
  Outer& here = outer_[outer];
  if (here.writing == Writing::kThrough) return TakeBack(outer + 1, address, changed, to);
  const LineEntry key = here.level.KeyAt(address);
  if (LineEntry* entry = here.level.Find(key)) {
    *entry |= changed;
    return;
  }
  // What an exclusive level holds must not be in two places.
  if (IsExclusive(outer + 1)) changed |= outer_[outer + 1].level.Remove(key) & kChanged;
  InsertOuter(outer, key | changed, to);
}

void Hierarchy::PrefetchData(std::uint64_t address, EventCounts& to) {
  const LineEntry key = data_.level().KeyAt(address);
  if (data_.Find(key) != nullptr) return;
  to.Add(Event::kPrefetches);
  InsertData(key | kPrefetched | Bring(0, address, Cause::kPrefetch, to), to);
}

void Hierarchy::PrefetchAfterData(std::uint64_t address, std::uint64_t site, EventCounts& to) {
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

void Hierarchy::PrefetchAfterCode(std::uint64_t address, EventCounts& to) {
  const std::uint64_t next = address + code_.level().line_bytes();
  if (!prefetching_.instructions || !OnSamePage(address, next)) return;
  const LineEntry key = code_.level().KeyAt(next);
  if (code_.Find(key) != nullptr) return;
  to.Add(Event::kPrefetches);
  InsertCode(key | kPrefetched | Bring(0, next, Cause::kPrefetch, to), to);
}

}  // namespace tare::cache
