// stack_grid.cc: searches and reorders the sets of all shapes.
#include "model/reuse/stack_grid.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/vector_clones.h"

namespace tare::reuse {
namespace {

// A tag is the number of an area of the address space and of a page in it. Lines of one set have
// the same position in their pages, because a way has at least kPageBytes.
constexpr unsigned kPageShift = 12;
constexpr unsigned kAreaShift = 38;
constexpr unsigned kAddressBits = 57;  // above them are tags of pointers, if anything
constexpr unsigned kMaxAreas = 63;
constexpr unsigned kPageBits = kAreaShift - kPageShift;

// State of a line in the sets: the owner of its last store, above the largest number of ways with
// which it is clean.
constexpr unsigned kOwnerShift = 8;
constexpr std::uint32_t kWaysMask = 0xff;

unsigned Log2(unsigned power) { return static_cast<unsigned>(std::countr_zero(power)); }

unsigned SetCounts(const GridShapes& shapes) {
  CHECK(std::has_single_bit(shapes.min_way_bytes) && std::has_single_bit(shapes.max_way_bytes));
  CHECK(shapes.min_way_bytes >= 1U << kPageShift);
  CHECK(shapes.min_way_bytes <= shapes.max_way_bytes);
  const unsigned counts = Log2(shapes.max_way_bytes) - Log2(shapes.min_way_bytes) + 1;
  CHECK(counts <= kMaxSetCounts);
  return counts;
}

}  // namespace

StackGrid::StackGrid(const GridShapes& shapes)
    : max_ways_(shapes.max_ways),
      set_counts_(SetCounts(shapes)),
      front_lines_(std::min<std::size_t>(kMaxFrontLines, shapes.max_ways)),
      shared_(Log2(shapes.min_way_bytes) - kPageShift, set_counts_),
      areas_(std::size_t{1} << (kAddressBits - kAreaShift)) {
  CHECK(max_ways_ >= 1 && max_ways_ <= kMaxWays);
  CHECK(!shapes.line_bytes.empty() && shapes.line_bytes.size() <= kMaxLineSizes);
  for (const unsigned line_bytes : shapes.line_bytes) {
    CHECK(std::has_single_bit(line_bytes) && line_bytes <= shapes.min_way_bytes);
    const std::size_t fronts = shapes.min_way_bytes / line_bytes;
    line_sizes_.push_back({Log2(line_bytes), line_sizes_.size() * set_counts_,
                           std::vector<FrontLines>(fronts),
                           std::vector<StackSet>(fronts << set_counts_)});
  }
}

StackGrid::Word StackGrid::TagOf(std::uint64_t address) {
  std::uint8_t& area = areas_[address >> kAreaShift & (areas_.size() - 1)];
  if (area == 0) [[unlikely]] {
    confused_ = confused_ || used_areas_ == kMaxAreas;
    used_areas_ = std::min(used_areas_ + 1, kMaxAreas);
    area = static_cast<std::uint8_t>(used_areas_);
  }
  const auto page = static_cast<Word>(address >> kPageShift & ((Word{1} << kPageBits) - 1));
  return Word{area} << kPageBits | page;
}

TARE_INLINE StackGrid::Row& StackGrid::RowOf(std::uint32_t owner) {
  if (owner >= rows_.size()) [[unlikely]]
    rows_.resize(owner + 1);
  return rows_[owner];
}

// Stays valid when rows are added.
inline std::uint32_t* StackGrid::DepthsOf(std::uint32_t owner) {
  Row& row = RowOf(owner);
  if (row.depths == nullptr) [[unlikely]]
    row.depths = std::make_unique<std::uint32_t[]>(Counters());
  return row.depths.get();
}

inline std::uint64_t* StackGrid::WriteBacksOf(std::uint32_t owner) {
  Row& row = RowOf(owner);
  if (row.write_backs == nullptr) [[unlikely]]
    row.write_backs = std::make_unique<std::uint64_t[]>(Counters());
  return row.write_backs.get();
}

TARE_INLINE void StackGrid::CountAt(std::uint32_t owner, std::uint32_t* depths,
                                    std::size_t counter) {
  if (++depths[counter] == 0) [[unlikely]]
    CountOverflow(owner, counter);
}

[[gnu::cold]] void StackGrid::CountOverflow(std::uint32_t owner, std::size_t counter) {
  overflows_.emplace_back(owner, counter);
}

// The line was used at `depth` again, or was evicted: caches with at most `depth` ways have evicted
// it since its last use, and those in which it was dirty have written it back.
TARE_INLINE void StackGrid::CountWriteBacks(Word state, std::size_t shape, unsigned depth) {
  if ((state & kWaysMask) < depth) CountDirtyWays(state, shape, depth);
}

[[gnu::noinline]] void StackGrid::CountDirtyWays(Word state, std::size_t shape, unsigned depth) {
  const unsigned clean = state & kWaysMask;
  std::uint64_t* const differences = WriteBacksOf(state >> kOwnerShift) + shape * (max_ways_ + 1);
  ++differences[clean];
  --differences[depth];
}

// The same for a line of a front, in all shapes.
void StackGrid::CountDirty(const LineSize& size, const FrontLine& line, ShapeBytes depths) {
  for (std::size_t i = 0; i < set_counts_; ++i)
    CountWriteBacks(line.owner << kOwnerShift | ByteOf(line.clean, i), size.first_shape + i,
                    ByteOf(depths, i));
}

// References the line at `position` of a front, not the first.
inline void StackGrid::MoveToFront(LineSize& size, FrontLines& front, std::size_t position,
                                   bool store, std::uint32_t owner) {
  FrontLine line = front[position];
  const auto shared = [&](std::size_t other) {
    return other < position ? shared_.Of(line.tag, front[other].tag) : SharedSets::kNone;
  };
  const std::size_t number = cases_.Of(shared(0), shared(1), shared(2));
  const ShapeBytes depths = cases_.Depths(number);
  CountAt(owner, DepthsOf(owner), CounterOfCase(size, number));
  if (line.clean == 0) {
    ++WriteBacksOf(line.owner)[CounterOfCase(size, number)];
    line.clean = depths;
  } else if (!IsNowhereLess(line.clean, depths)) {
    CountDirty(size, line, depths);
    line.clean = MaxOfEach(line.clean, depths);
  }
  if (store) {
    line.clean = 0;
    line.owner = owner;
  }
  for (std::size_t i = position; i > 0; --i) front[i] = front[i - 1];
  front[0] = line;
}

// References a line that is not in its front. It comes first there, and the last line of the front
// goes to the sets.
TARE_VECTOR_CLONES void StackGrid::ReferenceBack(LineSize& size, std::size_t first_set, Word tag,
                                                 bool store, std::uint32_t owner) {
  FrontLines& front = size.fronts[first_set];
  ShapeBytes before = 0;  // lines of the front in the same set
  for (std::size_t i = 0; i < front_lines_ && front[i].tag != 0; ++i)
    before += SharedSets::Bytes(shared_.Of(tag, front[i].tag));
  std::uint32_t* const depths = DepthsOf(owner);
  const FrontLine last = front[front_lines_ - 1];
  const auto state_of_last = [&](std::size_t i) {
    return last.owner << kOwnerShift | ByteOf(last.clean, i);
  };
  // Where both are in one set, it takes the place of this line. A bit for each shape.
  const std::size_t replaces =
      last.tag == 0 ? 0 : (std::size_t{2} << shared_.Of(tag, last.tag)) - 1;
  FrontLine used = {0, tag, owner};
  // A line that is in no set with many sets is in none with fewer. Nor is it nearer there.
  std::size_t absent = set_counts_;
  std::size_t shape = set_counts_;
  for (; shape > 0; --shape) {
    const std::size_t i = shape - 1;
    StackSet& set = size.sets[SetOf(first_set, i, tag)];
    const unsigned slot = set.Find(tag);
    if (slot >= StackSet::kSlots) break;
    const unsigned depth = ByteOf(before, i) + set.Depth(slot);
    const Word state = set.State(slot);
    if ((replaces >> i & 1) != 0) {
      set.Put(slot, last.tag, state_of_last(i));
    } else {
      set.Remove(slot);
    }
    CountWriteBacks(state, size.first_shape + i, std::min(depth, max_ways_));
    if (depth >= max_ways_) continue;
    absent = i;
    CountAt(owner, depths, (size.first_shape + i) * (max_ways_ + 1) + depth);
    if (!store) {
      used.clean |= ShapeBytes{std::max(state & kWaysMask, depth)} << (8 * i);
      used.owner = state >> kOwnerShift;
    }
  }
  if (absent == set_counts_) {
    ++rows_[owner].nowhere[size.first_shape / set_counts_];
  } else {
    for (std::size_t i = 0; i < absent; ++i)
      CountAt(owner, depths, (size.first_shape + i) * (max_ways_ + 1) + max_ways_);
  }
  if (!store)
    for (std::size_t i = 0; i < absent; ++i) used.clean |= ShapeBytes{max_ways_} << (8 * i);
  if (last.tag != 0) {
    for (std::size_t i = 0; i < set_counts_; ++i) {
      if (i >= shape && (replaces >> i & 1) != 0) continue;
      const Word left = size.sets[SetOf(first_set, i, last.tag)].Add(last.tag, state_of_last(i));
      CountWriteBacks(left, size.first_shape + i, max_ways_);
    }
  }
  for (std::size_t i = front_lines_ - 1; i > 0; --i) front[i] = front[i - 1];
  front[0] = used;
}

// Returns whether it was at depth 0 in all shapes.
inline bool StackGrid::ReferenceLine(LineSize& size, std::uint64_t address, Word tag, bool store,
                                     std::uint32_t owner) {
  const std::size_t first_set = address >> size.shift & (size.fronts.size() - 1);
  FrontLines& front = size.fronts[first_set];
  if (front[0].tag == tag) {
    if (store && front[0].clean != 0) {
      front[0].clean = 0;
      front[0].owner = owner;
    }
    return true;
  }
  for (std::size_t i = 1; i < front_lines_; ++i) {
    if (front[i].tag != tag) continue;
    MoveToFront(size, front, i, store, owner);
    return false;
  }
  ReferenceBack(size, first_set, tag, store, owner);
  return false;
}

bool StackGrid::Reference(std::uint64_t address, bool store, std::uint32_t owner) {
  owner = std::min(owner, kMaxOwner);
  const Word tag = TagOf(address);
  const bool at_depth_0 = ReferenceLine(line_sizes_[0], address, tag, store, owner);
  for (std::size_t i = 1; i < line_sizes_.size(); ++i)
    ReferenceLine(line_sizes_[i], address, tag, store, owner);
  return at_depth_0;
}

void StackGrid::Clear() {
  for (LineSize& size : line_sizes_) {
    std::ranges::fill(size.fronts, FrontLines{});
    for (StackSet& set : size.sets) set.Clear();
  }
}

void StackGrid::CountEvicted() {
  for (LineSize& size : line_sizes_) CountEvictedOf(size);
}

void StackGrid::CountEvictedOf(LineSize& size) {
  for (std::size_t first_set = 0; first_set < size.fronts.size(); ++first_set) {
    FrontLines& front = size.fronts[first_set];
    for (std::size_t i = 0; i < front_lines_ && front[i].tag != 0; ++i) {
      ShapeBytes depths = 0;
      for (std::size_t before = 0; before < i; ++before)
        depths += SharedSets::Bytes(shared_.Of(front[i].tag, front[before].tag));
      CountDirty(size, front[i], depths);
      front[i].clean = MaxOfEach(front[i].clean, depths);
    }
    for (std::size_t shape = 0; shape < set_counts_; ++shape) {
      for (std::size_t part = 0; part >> shape == 0; ++part) {
        const auto is_before = [&](const FrontLine& line) {
          return line.tag != 0 && shared_.PartOf(line.tag, shape) == part;
        };
        CountEvictedOf(size.sets[SetOf(first_set, shape) + part], size.first_shape + shape,
                       static_cast<unsigned>(std::ranges::count_if(front, is_before)));
      }
    }
  }
}

// Of a set that has `before` lines of a front before its own.
void StackGrid::CountEvictedOf(StackSet& set, std::size_t shape, unsigned before) {
  for (unsigned slot = 0; slot < StackSet::kSlots; ++slot) {
    if (!set.IsUsed(slot)) continue;
    const Word state = set.State(slot);
    const unsigned depth = std::min(before + set.Depth(slot), max_ways_);
    CountWriteBacks(state, shape, depth);
    set.SetState(slot, (state & ~kWaysMask) | std::max<Word>(state & kWaysMask, depth));
  }
}

void StackGrid::AddDepths(std::uint32_t owner, std::span<std::uint64_t> to) const {
  if (!HasDepths(owner)) return;
  const std::size_t depths = max_ways_ + 1;
  CHECK(to.size() == ByDepth());
  const Row& row = rows_[owner];
  // Adds `count` to a counter of Row::depths.
  const auto add = [&](std::size_t counter, std::uint64_t count) {
    if (counter < ByDepth()) {
      if (counter % depths > 0) to[counter] += count;
      return;
    }
    const std::size_t line_size = (counter - ByDepth()) / FrontCases::kCount;
    const ShapeBytes at = cases_.Depths((counter - ByDepth()) % FrontCases::kCount);
    for (std::size_t i = 0; i < set_counts_; ++i)
      if (ByteOf(at, i) > 0) to[(line_size * set_counts_ + i) * depths + ByteOf(at, i)] += count;
  };
  if (row.depths != nullptr)
    for (std::size_t i = 0; i < Counters(); ++i)
      if (row.depths[i] != 0) add(i, row.depths[i]);
  for (std::size_t shape = 0; shape < shapes(); ++shape)
    to[shape * depths + max_ways_] += row.nowhere[shape / set_counts_];
  for (const auto& [of, counter] : overflows_)
    if (of == owner) add(counter, std::uint64_t{1} << 32);
}

void StackGrid::AddAllDepths(std::span<std::uint64_t> to) const {
  for (std::uint32_t owner = 0; owner < rows_.size(); ++owner) AddDepths(owner, to);
}

void StackGrid::AddWriteBacks(std::uint32_t owner, std::span<std::uint64_t> to) const {
  if (!HasWriteBacks(owner)) return;
  CHECK(to.size() == shapes() * max_ways_);
  const std::uint64_t* difference = rows_[owner].write_backs.get();
  for (std::size_t shape = 0; shape < shapes(); ++shape, difference += max_ways_ + 1) {
    std::uint64_t sum = 0;
    for (unsigned ways = 0; ways < max_ways_; ++ways)
      to[shape * max_ways_ + ways] += sum += difference[ways];
  }
  for (std::size_t line_size = 0; line_size < line_sizes_.size(); ++line_size) {
    for (std::size_t number = 0; number < FrontCases::kCount; ++number) {
      const std::uint64_t count = *difference++;
      const ShapeBytes depths = count == 0 ? 0 : cases_.Depths(number);
      for (std::size_t i = 0; i < set_counts_; ++i)
        for (unsigned ways = 0; ways < ByteOf(depths, i); ++ways)
          to[(line_size * set_counts_ + i) * max_ways_ + ways] += count;
    }
  }
}

bool StackGrid::HasDepths(std::uint32_t owner) const {
  if (owner >= rows_.size()) return false;
  const Row& row = rows_[owner];
  return row.depths != nullptr ||
         std::ranges::any_of(row.nowhere, [](std::uint64_t count) { return count > 0; });
}

bool StackGrid::HasWriteBacks(std::uint32_t owner) const {
  return owner < rows_.size() && rows_[owner].write_backs != nullptr;
}

}  // namespace tare::reuse
