// stack_grid.h: one pass over references that simulates LRU caches of many shapes exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tare::reuse {

// The caches to simulate: every line size, every power of two of sets whose ways have
// `min_way_bytes` to `max_way_bytes`, and 1 to `max_ways` ways.
struct GridShapes {
  std::vector<unsigned> line_bytes = {64, 128};  // ascending powers of two, at most kMaxLineSizes
  unsigned min_way_bytes = 4096;                 // powers of two, multiples of the line sizes
  unsigned max_way_bytes = 256 << 10;
  unsigned max_ways = 24;  // 1 to kMaxWays
};
inline constexpr unsigned kMaxWays = 32;
inline constexpr unsigned kMaxLineSizes = 4;
// Who makes references: a block of the program. Owners above it are treated as this one.
inline constexpr std::uint32_t kMaxOwner = 0xff'ffff;

// All-associativity simulation by stacks (Hill and Smith 1989): each set of each shape has its
// lines in the order of their last use. A reference that finds its line at depth d hits in caches
// with more than d ways. A set with more sets of the same line size contains a subset of its lines
// (set refinement), so the depth cannot be greater: shapes are searched from the fewest sets to the
// most, each no deeper than the one before, and the search ends at depth 0.
//
// Write-backs of all ways at once (Thompson and Smith 1989): a line stores the largest number of
// ways with which it is clean. docs/methods/signatures.md has the proofs.
class StackGrid {
 public:
  explicit StackGrid(const GridShapes& shapes);

  // References the line at `address`, of the smallest line size. Returns whether it was at depth 0
  // in the shape with the fewest sets.
  bool Reference(std::uint64_t address, bool store, std::uint32_t owner);

  // Empties all stacks. What was counted remains.
  void Clear();

  // Counts the write-backs of lines that are further back in their stack than a cache has ways, but
  // were not used again. Call it after the last reference; more may follow.
  void CountEvicted();

  std::size_t shapes() const { return sets_.size(); }
  unsigned max_ways() const { return max_ways_; }

  // Adds the counts of an owner to `to`, [shape * (max_ways + 1) + depth], shapes by line size and
  // then by sets. Depth max_ways: not found at any depth. References at depth 0 are not counted:
  // they are the rest.
  void AddDepths(std::uint32_t owner, std::span<std::uint64_t> to) const;
  // The same for all owners.
  void AddAllDepths(std::span<std::uint64_t> to) const;
  // Adds the write-backs of lines that this owner's store made dirty, [shape * max_ways + ways -
  // 1]. Lines that are still in the cache have not been written back.
  void AddWriteBacks(std::uint32_t owner, std::span<std::uint64_t> to) const;
  bool HasDepths(std::uint32_t owner) const;
  bool HasWriteBacks(std::uint32_t owner) const;

  // Whether lines may have been confused, because the program used more than 63 areas of 256 GiB in
  // its address space.
  bool IsConfused() const { return confused_; }

 private:
  using Word = std::uint32_t;

  // The sets of one shape.
  struct Sets {
    std::size_t first = 0;  // index into heads_
    std::uint64_t mask = 0;
    unsigned line_shift = 0;
  };
  struct Row {
    // References that are found at no depth with any number of sets, by line size; not in `depths`.
    std::array<std::uint64_t, kMaxLineSizes> nowhere{};
    std::unique_ptr<std::uint32_t[]> depths;
    // Differences: one write-back for more than a and at most b ways is +1 at a and -1 at b.
    std::unique_ptr<std::uint64_t[]> write_backs;
  };

  Word TagOf(std::uint64_t address);
  Row& RowOf(std::uint32_t owner);
  std::uint32_t* DepthsOf(std::uint32_t owner);
  void CountDepth(std::uint32_t owner, std::uint32_t* depths, std::size_t shape, unsigned depth);
  void CountWriteBacks(Word state, std::size_t shape, unsigned depth);
  void CountDirty(Word state, std::size_t shape, unsigned depth);
  std::size_t SetOf(std::size_t shape, std::uint64_t line) const {
    return sets_[shape].first + (line & sets_[shape].mask);
  }
  Word* TagsOf(std::size_t set) const { return words_ + set * 4 * lanes_ + heads_[set]; }
  Word* StatesOf(Word* tags) const { return tags + std::ptrdiff_t{2} * lanes_; }
  void PutFirst(std::size_t set, std::size_t shape, Word tag, Word state);
  bool ReferenceLine(std::size_t line_size, std::uint64_t address, Word tag, bool store,
                     std::uint32_t owner);

  unsigned max_ways_;
  unsigned lanes_;       // per set: max_ways_ rounded up to whole vectors
  unsigned set_counts_;  // per line size
  std::size_t line_sizes_;
  std::vector<Sets> sets_;  // by shape
  // For each set, two times lanes_ words for tags and as many for states. The tags in the order of
  // last use begin at heads_, and so do the states. A new line is put before them.
  std::unique_ptr<Word[]> storage_;
  std::size_t used_words_ = 0;
  Word* words_ = nullptr;            // aligned, in storage_
  std::vector<std::uint8_t> heads_;  // by set
  std::vector<Row> rows_;            // by owner
  std::vector<std::uint8_t> areas_;  // by address / kAreaBytes: small numbers from 1; 0: not seen
  unsigned used_areas_ = 0;
  bool confused_ = false;
  // Counts that have overflowed, by owner and counter.
  std::vector<std::pair<std::uint32_t, std::size_t>> overflows_;
};

}  // namespace tare::reuse
