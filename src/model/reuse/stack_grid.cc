// stack_grid.cc: searches and reorders the sets of all shapes.
#include "model/reuse/stack_grid.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace tare::reuse {
namespace {

constexpr unsigned kLanes = 8;
using Lanes [[gnu::vector_size(kLanes * sizeof(std::uint32_t))]] = std::uint32_t;

// Compiled twice, for processors with vectors of 32 bytes and for all others. The function that
// chooses runs too early for sanitizers.
#if defined(__x86_64__) && defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TARE_VECTOR_CLONES [[gnu::target_clones("avx2", "default")]]
#else
#define TARE_VECTOR_CLONES
#endif

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

// Always inlined, so that each copy of a caller has its own instructions, and vectors are never
// passed.
#define TARE_INLINE [[gnu::always_inline]] inline

TARE_INLINE void Load(const std::uint32_t* from, Lanes& lanes) {
  std::memcpy(&lanes, from, sizeof lanes);
}

TARE_INLINE void Store(std::uint32_t* to, const Lanes& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

// The first position of `tag` within the first `vectors` vectors, or 32 if it is absent. Tags are
// unique.
TARE_INLINE unsigned Find(const std::uint32_t* tags, std::uint32_t tag, unsigned vectors) {
  const Lanes wanted = Lanes{} + tag;
  Lanes found{};
  Lanes bits = {1, 2, 4, 8, 16, 32, 64, 128};
  for (unsigned i = 0; i < vectors; ++i) {
    Lanes here;
    Load(tags + i * kLanes, here);
    found |= reinterpret_cast<Lanes>(here == wanted) & bits;
    bits <<= kLanes;
  }
  std::array<std::uint64_t, kLanes / 2> parts;
  std::memcpy(parts.data(), &found, sizeof found);
  const std::uint64_t all = (parts[0] | parts[1]) | (parts[2] | parts[3]);
  return static_cast<unsigned>(std::countr_zero(static_cast<std::uint32_t>(all | all >> 32)));
}

// Few arrays in turn, often at the same place of their pages, are at small depths. Words that were
// just stored are loaded singly there: a vector would wait until they are in the cache.
constexpr unsigned kNearDepth = 3;

// 0 if it is further away.
TARE_INLINE unsigned FindNear(const std::uint32_t* tags, std::uint32_t tag) {
  for (unsigned depth = 1; depth <= kNearDepth; ++depth)
    if (tags[depth] == tag) return depth;
  return 0;
}

// Moves positions 0 to depth - 1 one further and puts `first` before them. Reads the word before
// `at`.
TARE_INLINE void Insert(std::uint32_t* at, unsigned depth, std::uint32_t first) {
  if (depth <= kNearDepth) {
    for (; depth > 0; --depth) at[depth] = at[depth - 1];
    at[0] = first;
    return;
  }
  unsigned vector = depth / kLanes;
  const Lanes positions = Lanes{0, 1, 2, 3, 4, 5, 6, 7} + vector * kLanes;
  std::uint32_t* const last = at + vector * kLanes;
  Lanes moved;
  Lanes present;
  Load(last - 1, moved);
  Load(last, present);
  Store(last, positions <= (Lanes{} + depth) ? moved : present);
  while (vector > 0) {
    --vector;
    Load(at + vector * kLanes - 1, moved);
    Store(at + vector * kLanes, moved);
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
  std::size_t sets = 0;
  for (const unsigned line_bytes : shapes.line_bytes) {
    CHECK(std::has_single_bit(line_bytes) && line_bytes <= shapes.min_way_bytes);
    for (unsigned i = 0; i < set_counts_; ++i) {
      const std::uint64_t count = std::uint64_t{shapes.min_way_bytes / line_bytes} << i;
      sets_.push_back({sets, count - 1, static_cast<unsigned>(std::countr_zero(line_bytes))});
      sets += count;
    }
  }
  heads_.assign(sets, static_cast<std::uint8_t>(lanes_));
  // Sets begin at cache lines. At least one word is before the first, because Insert reads it.
  constexpr std::size_t kAlignWords = kCacheLine / sizeof(Word);
  used_words_ = sets * 4 * lanes_;
  storage_ = std::make_unique<Word[]>(used_words_ + kAlignWords);
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

// Stays valid when rows are added.
std::uint32_t* StackGrid::DepthsOf(std::uint32_t owner) {
  Row& row = RowOf(owner);
  if (row.depths == nullptr) [[unlikely]]
    row.depths = std::make_unique<std::uint32_t[]>(sets_.size() * (max_ways_ + 1));
  return row.depths.get();
}

inline void StackGrid::CountDepth(std::uint32_t owner, std::uint32_t* depths, std::size_t shape,
                                  unsigned depth) {
  const std::size_t counter = shape * (max_ways_ + 1) + depth;
  if (++depths[counter] == 0) [[unlikely]]
    overflows_.emplace_back(owner, counter);
}

// The line was used at `depth` again, or was evicted: caches with at most `depth` ways have evicted
// it since its last use, and those in which it was dirty have written it back.
inline void StackGrid::CountWriteBacks(Word state, std::size_t shape, unsigned depth) {
  if ((state & kWaysMask) < depth) CountDirty(state, shape, depth);
}

void StackGrid::CountDirty(Word state, std::size_t shape, unsigned depth) {
  const unsigned clean = state & kWaysMask;
  Row& row = RowOf(state >> kOwnerShift);
  if (row.write_backs == nullptr) [[unlikely]]
    row.write_backs = std::make_unique<std::uint64_t[]>(sets_.size() * (max_ways_ + 1));
  std::uint64_t* const differences = row.write_backs.get() + shape * (max_ways_ + 1);
  ++differences[clean];
  --differences[depth];
}

// Puts a line that is at no depth first, and counts the write-backs of the line that leaves.
inline void StackGrid::PutFirst(std::size_t set, std::size_t shape, Word tag, Word state) {
  Word* tags = TagsOf(set);
  if (tags[max_ways_ - 1] != 0) CountWriteBacks(StatesOf(tags)[max_ways_ - 1], shape, max_ways_);
  if (heads_[set] == 0) [[unlikely]] {
    std::memcpy(tags + lanes_, tags, lanes_ * sizeof(Word));
    std::memcpy(StatesOf(tags) + lanes_, StatesOf(tags), lanes_ * sizeof(Word));
    heads_[set] = static_cast<std::uint8_t>(lanes_);
  }
  --heads_[set];
  tags = TagsOf(set);
  tags[0] = tag;
  StatesOf(tags)[0] = state;
}

// Returns whether it was at depth 0 in all shapes.
TARE_VECTOR_CLONES bool StackGrid::ReferenceLine(std::size_t line_size, std::uint64_t address,
                                                 Word tag, bool store, std::uint32_t owner) {
  const std::size_t first = line_size * set_counts_;
  const std::size_t end = first + set_counts_;
  const std::uint64_t line = address >> sets_[first].line_shift;
  const Word stored = owner << kOwnerShift;
  const Word fetched = store ? stored : max_ways_;  // the state of a line that was at no depth
  unsigned limit = max_ways_ - 1;                   // the line is not deeper
  std::size_t absent = 0;                           // shapes in which the line is at no depth
  std::uint32_t* depths = nullptr;
  bool prefetched = false;
  for (std::size_t shape = first; shape < end; ++shape) {
    const std::size_t set = SetOf(shape, line);
    Word* const tags = TagsOf(set);
    Word* const states = StatesOf(tags);
    if (tags[0] == tag) {
      if (!store || (states[0] & kWaysMask) == 0) break;
      states[0] = stored;
      limit = 0;
      continue;
    }
    if (depths == nullptr) depths = DepthsOf(owner);
    unsigned depth = FindNear(tags, tag);
    if (depth == 0) {
      for (std::size_t next = std::exchange(prefetched, true) ? end : shape + 1; next < end;
           ++next) {
        const Word* const of_next = TagsOf(SetOf(next, line));
        __builtin_prefetch(of_next);
        __builtin_prefetch(of_next + 2 * lanes_);
      }
      depth = Find(tags, tag, limit / kLanes + 1);
    }
    if (depth < max_ways_) {
      const Word state = states[depth];
      CountDepth(owner, depths, shape, depth);
      CountWriteBacks(state, shape, depth);
      const Word clean = std::max<Word>(state & kWaysMask, depth);
      Insert(tags, depth, tag);
      Insert(states, depth, store ? stored : (state & ~kWaysMask) | clean);
      limit = depth;
    } else {
      ++absent;
      // If it is at no depth with the most sets, it is at none with fewer.
      if (shape == first && Find(TagsOf(SetOf(end - 1, line)), tag, lanes_ / kLanes) >= max_ways_) {
        for (; shape < end; ++shape) PutFirst(SetOf(shape, line), shape, tag, fetched);
        absent = set_counts_;
        break;
      }
      PutFirst(set, shape, tag, fetched);
    }
  }
  if (depths == nullptr) return true;
  if (absent == set_counts_) {
    ++rows_[owner].nowhere[line_size];
  } else {
    for (std::size_t i = 0; i < absent; ++i) CountDepth(owner, depths, first + i, max_ways_);
  }
  return false;
}

bool StackGrid::Reference(std::uint64_t address, bool store, std::uint32_t owner) {
  owner = std::min(owner, kMaxOwner);
  const Word tag = TagOf(address);
  const bool at_depth_0 = ReferenceLine(0, address, tag, store, owner);
  for (std::size_t i = 1; i < line_sizes_; ++i) ReferenceLine(i, address, tag, store, owner);
  return at_depth_0;
}

void StackGrid::Clear() {
  std::fill_n(words_, used_words_, 0);
  std::ranges::fill(heads_, static_cast<std::uint8_t>(lanes_));
}

void StackGrid::CountEvicted() {
  for (std::size_t shape = 0; shape < sets_.size(); ++shape) {
    for (std::uint64_t line = 0; line <= sets_[shape].mask; ++line) {
      Word* const tags = TagsOf(SetOf(shape, line));
      Word* const states = StatesOf(tags);
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

void StackGrid::AddAllDepths(std::span<std::uint64_t> to) const {
  for (std::uint32_t owner = 0; owner < rows_.size(); ++owner) AddDepths(owner, to);
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
