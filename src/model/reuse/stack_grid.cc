// stack_grid.cc: searches and reorders the sets of all shapes.
#include "model/reuse/stack_grid.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace tare::reuse {
namespace {

constexpr unsigned kLanes = 4;
using Lanes [[gnu::vector_size(kLanes * sizeof(std::uint32_t))]] = std::uint32_t;

// A tag is the number of an area of the address space and of a page in it. Lines of one set have
// the same position in their pages, because a way has at least kPageBytes.
constexpr unsigned kPageShift = 12;
constexpr unsigned kAreaShift = 38;
constexpr unsigned kAddressBits = 57;  // above them are tags of pointers, if anything
constexpr unsigned kMaxAreas = 63;
constexpr unsigned kPageBits = kAreaShift - kPageShift;

// State of a line: the owner of its last store, above the largest number of ways with which it is
// clean.
constexpr unsigned kOwnerShift = 8;
constexpr std::uint32_t kWaysMask = 0xff;
constexpr std::size_t kCacheLine = 64;

Lanes Load(const std::uint32_t* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

void Store(std::uint32_t* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }

// The first position of `tag` within the first `vectors` vectors, or 32 if it is absent. Tags are
// unique.
unsigned Find(const std::uint32_t* tags, std::uint32_t tag, unsigned vectors) {
  const Lanes wanted = Lanes{} + tag;
  Lanes found{};
  Lanes bits = {1, 2, 4, 8};
  for (unsigned i = 0; i < vectors; ++i) {
    found |= reinterpret_cast<Lanes>(Load(tags + i * kLanes) == wanted) & bits;
    bits <<= kLanes;
  }
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &found, sizeof halves);
  const std::uint64_t both = halves[0] | halves[1];
  return static_cast<unsigned>(std::countr_zero(static_cast<std::uint32_t>(both | both >> 32)));
}

// Moves positions 0 to depth - 1 one further and puts `first` before them. Reads the word before
// `at`.
void Insert(std::uint32_t* at, unsigned depth, std::uint32_t first) {
  unsigned vector = depth / kLanes;
  const Lanes positions = Lanes{0, 1, 2, 3} + vector * kLanes;
  std::uint32_t* const last = at + vector * kLanes;
  Store(last, positions <= (Lanes{} + depth) ? Load(last - 1) : Load(last));
  while (vector > 0) {
    --vector;
    Store(at + vector * kLanes, Load(at + vector * kLanes - 1));
  }
  at[0] = first;
}

}  // namespace

StackGrid::StackGrid(const GridShapes& shapes)
    : max_ways_(shapes.max_ways),
      lanes_((shapes.max_ways + kLanes - 1) / kLanes * kLanes),
      line_sizes_(shapes.line_bytes.size()),
      areas_(std::size_t{1} << (kAddressBits - kAreaShift)) {
  CHECK(max_ways_ >= 1 && max_ways_ <= kMaxWays);
  CHECK(line_sizes_ >= 1 && line_sizes_ <= kMaxLineSizes);
  CHECK(std::has_single_bit(shapes.min_way_bytes) && std::has_single_bit(shapes.max_way_bytes));
  CHECK(shapes.min_way_bytes >= 1U << kPageShift);
  CHECK(shapes.min_way_bytes <= shapes.max_way_bytes);
  set_counts_ = static_cast<unsigned>(std::countr_zero(shapes.max_way_bytes) -
                                      std::countr_zero(shapes.min_way_bytes)) +
                1;
  std::size_t words = 0;
  for (const unsigned line_bytes : shapes.line_bytes) {
    CHECK(std::has_single_bit(line_bytes) && line_bytes <= shapes.min_way_bytes);
    for (unsigned i = 0; i < set_counts_; ++i) {
      const std::uint64_t count = std::uint64_t{shapes.min_way_bytes / line_bytes} << i;
      sets_.push_back({words, count - 1, static_cast<unsigned>(std::countr_zero(line_bytes))});
      words += count * 2 * lanes_;
    }
  }
  // Sets begin at cache lines. At least one word is before the first, because Insert reads it.
  constexpr std::size_t kAlignWords = kCacheLine / sizeof(Word);
  storage_ = std::make_unique<Word[]>(words + kAlignWords);
  const auto start = reinterpret_cast<std::uintptr_t>(storage_.get());
  words_ = storage_.get() + (kCacheLine - start % kCacheLine) / sizeof(Word);
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

StackGrid::Row& StackGrid::RowOf(std::uint32_t owner) {
  if (owner >= rows_.size()) [[unlikely]]
    rows_.resize(owner + 1);
  return rows_[owner];
}

std::uint32_t* StackGrid::DepthsOf(Row& row) const {
  if (row.depths == nullptr) [[unlikely]]
    row.depths = std::make_unique<std::uint32_t[]>(sets_.size() * (max_ways_ + 1));
  return row.depths.get();
}

void StackGrid::CountDepth(Row& row, std::size_t shape, unsigned depth) {
  const std::size_t counter = shape * (max_ways_ + 1) + depth;
  if (++DepthsOf(row)[counter] == 0) [[unlikely]]
    overflows_.emplace_back(static_cast<std::uint32_t>(&row - rows_.data()), counter);
}

// The line was used at `depth` again, or was evicted: caches with at most `depth` ways have evicted
// it since its last use, and those in which it was dirty have written it back.
void StackGrid::CountWriteBacks(Word state, std::size_t shape, unsigned depth) {
  const unsigned clean = state & kWaysMask;
  if (clean >= depth) return;
  Row& row = RowOf(state >> kOwnerShift);
  if (row.write_backs == nullptr) [[unlikely]]
    row.write_backs = std::make_unique<std::uint64_t[]>(sets_.size() * (max_ways_ + 1));
  std::uint64_t* const differences = row.write_backs.get() + shape * (max_ways_ + 1);
  ++differences[clean];
  --differences[depth];
}

bool StackGrid::Reference(std::uint64_t address, bool store, std::uint32_t owner) {
  owner = std::min(owner, kMaxOwner);
  const Word tag = TagOf(address);
  const bool at_depth_0 = ReferenceLine(0, address, tag, store, owner);
  for (std::size_t i = 1; i < line_sizes_; ++i) ReferenceLine(i, address, tag, store, owner);
  return at_depth_0;
}

// Returns whether it was at depth 0 in all shapes.
bool StackGrid::ReferenceLine(std::size_t line_size, std::uint64_t address, Word tag, bool store,
                              std::uint32_t owner) {
  const std::size_t first = line_size * set_counts_;
  const std::uint64_t line = address >> sets_[first].line_shift;
  const auto set_of = [&](std::size_t shape) {
    return words_ + sets_[shape].first + (line & sets_[shape].mask) * 2 * lanes_;
  };
  const Word stored = owner << kOwnerShift;
  unsigned limit = max_ways_ - 1;  // the line is not deeper
  std::size_t absent = 0;          // shapes in which the line is at no depth
  Row* row = nullptr;
  for (std::size_t shape = first; shape < first + set_counts_; ++shape) {
    Word* const tags = set_of(shape);
    Word* const states = tags + lanes_;
    if (tags[0] == tag) {
      if (!store || (states[0] & kWaysMask) == 0) break;
      states[0] = stored;
      limit = 0;
      continue;
    }
    if (row == nullptr) {
      row = &RowOf(owner);
      for (std::size_t next = shape + 1; next < first + set_counts_; ++next) {
        __builtin_prefetch(set_of(next));
        __builtin_prefetch(set_of(next) + lanes_);
      }
    }
    const unsigned depth = Find(tags, tag, limit / kLanes + 1);
    if (depth < max_ways_) {
      const Word state = states[depth];
      CountDepth(*row, shape, depth);
      CountWriteBacks(state, shape, depth);
      const Word clean = std::max<Word>(state & kWaysMask, depth);
      Insert(tags, depth, tag);
      Insert(states, depth, store ? stored : (state & ~kWaysMask) | clean);
      limit = depth;
    } else {
      ++absent;
      if (tags[max_ways_ - 1] != 0) CountWriteBacks(states[max_ways_ - 1], shape, max_ways_);
      Insert(tags, max_ways_ - 1, tag);
      Insert(states, max_ways_ - 1, store ? stored : max_ways_);
    }
    // CountWriteBacks may have moved the rows.
    row = &rows_[owner];
  }
  if (row == nullptr) return true;
  if (absent == set_counts_) {
    ++row->nowhere[line_size];
  } else {
    for (std::size_t i = 0; i < absent; ++i) CountDepth(*row, first + i, max_ways_);
  }
  return false;
}

void StackGrid::CountEvicted() {
  for (std::size_t shape = 0; shape < sets_.size(); ++shape) {
    for (std::uint64_t set = 0; set <= sets_[shape].mask; ++set) {
      Word* const tags = words_ + sets_[shape].first + set * 2 * lanes_;
      Word* const states = tags + lanes_;
      for (unsigned depth = 1; depth < max_ways_ && tags[depth] != 0; ++depth) {
        const Word state = states[depth];
        CountWriteBacks(state, shape, depth);
        states[depth] = (state & ~kWaysMask) | std::max<Word>(state & kWaysMask, depth);
      }
    }
  }
}

void StackGrid::AddDepths(std::uint32_t owner, std::span<std::uint64_t> to) const {
  if (!HasDepths(owner)) return;
  const std::size_t depths = max_ways_ + 1;
  CHECK(to.size() == sets_.size() * depths);
  const Row& row = rows_[owner];
  if (row.depths != nullptr)
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += row.depths[i];
  for (std::size_t shape = 0; shape < sets_.size(); ++shape)
    to[shape * depths + max_ways_] += row.nowhere[shape / set_counts_];
  for (const auto& [of, counter] : overflows_)
    if (of == owner) to[counter] += std::uint64_t{1} << 32;
}

void StackGrid::AddWriteBacks(std::uint32_t owner, std::span<std::uint64_t> to) const {
  if (!HasWriteBacks(owner)) return;
  CHECK(to.size() == sets_.size() * max_ways_);
  const std::uint64_t* difference = rows_[owner].write_backs.get();
  for (std::size_t shape = 0; shape < sets_.size(); ++shape, difference += max_ways_ + 1) {
    std::uint64_t sum = 0;
    for (unsigned ways = 0; ways < max_ways_; ++ways)
      to[shape * max_ways_ + ways] += sum += difference[ways];
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
