// stack_grid.h: one pass over references that simulates LRU caches of many shapes exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "model/reuse/front_lines.h"
#include "model/reuse/stack_set.h"

namespace tare::reuse {

// The caches to simulate: every line size, every power of two of sets whose ways have
// `min_way_bytes` to `max_way_bytes`, and 1 to `max_ways` ways.
struct GridShapes {
  std::vector<unsigned> line_bytes = {64, 128};  // ascending powers of two, at most kMaxLineSizes
  unsigned min_way_bytes = 4096;                 // powers of two, multiples of the line sizes
  unsigned max_way_bytes = 256 << 10;            // at most kMaxSetCounts powers
  unsigned max_ways = 24;                        // 1 to kMaxWays
};
inline constexpr unsigned kMaxWays = StackSet::kSlots;
inline constexpr unsigned kMaxLineSizes = 4;
// Who makes references: a block of the program. Owners above it are treated as this one.
inline constexpr std::uint32_t kMaxOwner = 0xff'ffff;

// All-associativity simulation by stacks (Mattson et al. 1970; Hill and Smith 1989): each set of
// each shape has its lines in the order of their last use. A reference that finds its line at depth
// d hits in caches with more than d ways. A set with more sets of the same line size contains a
// subset of its lines (set refinement), so the depth cannot be greater.
//
// The lines used last in each set of the shape with the fewest sets are held apart, once for all
// shapes of a line size: most references find theirs there. The sets of all shapes have the others.
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

  std::size_t shapes() const { return line_sizes_.size() * set_counts_; }
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
  using Word = StackSet::Word;

  // All shapes of one line size.
  struct LineSize {
    unsigned shift = 0;
    std::size_t first_shape = 0;
    std::vector<FrontLines> fronts;  // by set of the shape with the fewest
    // The lines that are in no front. Those of one front are together: first its only set in the
    // first shape, then the two in the second and so on.
    std::vector<StackSet> sets;
  };
  struct Row {
    // References that are found at no depth with any number of sets, by line size; not in `depths`.
    std::array<std::uint64_t, kMaxLineSizes> nowhere{};
    // By shape and depth; then by line size and case of FrontCases.
    std::unique_ptr<std::uint32_t[]> depths;
    // Differences, by shape: one write-back for more than a and at most b ways is +1 at a and -1 at
    // b. Then by line size and case: one for as many ways as the depth.
    std::unique_ptr<std::uint64_t[]> write_backs;
  };

  Word TagOf(std::uint64_t address);
  Row& RowOf(std::uint32_t owner);
  std::uint32_t* DepthsOf(std::uint32_t owner);
  std::uint64_t* WriteBacksOf(std::uint32_t owner);
  std::size_t ByDepth() const { return shapes() * (max_ways_ + 1); }
  std::size_t Counters() const { return ByDepth() + line_sizes_.size() * FrontCases::kCount; }
  std::size_t CounterOfCase(const LineSize& size, std::size_t number) const {
    return ByDepth() + size.first_shape / set_counts_ * FrontCases::kCount + number;
  }
  void CountAt(std::uint32_t owner, std::uint32_t* depths, std::size_t counter);
  void CountOverflow(std::uint32_t owner, std::size_t counter);
  void CountDirtyWays(Word state, std::size_t shape, unsigned depth);
  void CountWriteBacks(Word state, std::size_t shape, unsigned depth);
  void CountDirty(const LineSize& size, const FrontLine& line, ShapeBytes depths);
  bool ReferenceLine(LineSize& size, std::uint64_t address, Word tag, bool store,
                     std::uint32_t owner);
  void MoveToFront(LineSize& size, FrontLines& front, std::size_t position, bool store,
                   std::uint32_t owner);
  void ReferenceBack(LineSize& size, std::size_t first_set, Word tag, bool store,
                     std::uint32_t owner);
  void CountEvictedOf(LineSize& size);
  void CountEvictedOf(StackSet& set, std::size_t shape, unsigned before);
  // The first set of a shape that is a part of a set of the first shape.
  std::size_t SetOf(std::size_t first_set, std::size_t shape) const {
    return (first_set << set_counts_) + (std::size_t{1} << shape) - 1;
  }
  std::size_t SetOf(std::size_t first_set, std::size_t shape, Word tag) const {
    return SetOf(first_set, shape) + shared_.PartOf(tag, shape);
  }

  unsigned max_ways_;
  unsigned set_counts_;      // per line size
  std::size_t front_lines_;  // used of each front
  SharedSets shared_;
  FrontCases cases_;
  std::vector<LineSize> line_sizes_;
  std::vector<Row> rows_;            // by owner
  std::vector<std::uint8_t> areas_;  // by address / kAreaBytes: small numbers from 1; 0: not seen
  unsigned used_areas_ = 0;
  bool confused_ = false;
  // Counts that have overflowed, by owner and counter.
  std::vector<std::pair<std::uint32_t, std::size_t>> overflows_;
};

}  // namespace tare::reuse
