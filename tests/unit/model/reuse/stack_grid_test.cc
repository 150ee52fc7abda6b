// stack_grid_test.cc: the same hits and write-backs as a separate simulation of every cache.
#include "model/reuse/stack_grid.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "plain_stacks.h"

namespace tare::reuse {
namespace {

GridShapes SmallShapes() { return {{64, 128}, 4096, 32768, 6}; }

// By shape, then ways - 1.
struct Expected {
  std::vector<std::uint64_t> misses;
  std::vector<std::uint64_t> write_backs;
};

Expected Simulate(const GridShapes& shapes, const std::vector<PlainReference>& references) {
  Expected expected;
  for (const unsigned line : shapes.line_bytes) {
    for (std::uint64_t way_bytes = shapes.min_way_bytes; way_bytes <= shapes.max_way_bytes;
         way_bytes *= 2) {
      for (unsigned ways = 1; ways <= shapes.max_ways; ++ways) {
        PlainCache cache(line, way_bytes / line, ways);
        std::uint64_t misses = 0;
        for (const PlainReference& one : references)
          if (!cache.Use(one.address, one.store)) ++misses;
        expected.misses.push_back(misses);
        expected.write_backs.push_back(cache.write_backs);
      }
    }
  }
  return expected;
}

void Feed(StackGrid& grid, const std::vector<PlainReference>& references) {
  for (const PlainReference& one : references) grid.Reference(one.address, one.store, one.owner);
  grid.CountEvicted();
}

Expected Counted(const StackGrid& grid, std::uint32_t owners) {
  const std::size_t depths = grid.max_ways() + 1;
  std::vector<std::uint64_t> at_depth(grid.shapes() * depths);
  Expected counted;
  counted.write_backs.resize(grid.shapes() * grid.max_ways());
  for (std::uint32_t owner = 0; owner < owners; ++owner) {
    grid.AddDepths(owner, at_depth);
    grid.AddWriteBacks(owner, counted.write_backs);
  }
  for (std::size_t shape = 0; shape < grid.shapes(); ++shape) {
    const auto first = at_depth.begin() + static_cast<std::ptrdiff_t>(shape * depths);
    const auto end = first + static_cast<std::ptrdiff_t>(depths);
    EXPECT_EQ(*first, 0U) << "depth 0 is not counted";
    for (unsigned ways = 1; ways <= grid.max_ways(); ++ways)
      counted.misses.push_back(std::accumulate(first + ways, end, std::uint64_t{0}));
  }
  return counted;
}

TEST(StackGrid, CountsTheMissesOfEveryCacheAtOnce) {
  for (const PlainStream& stream : PlainStreams(20000)) {
    StackGrid grid(SmallShapes());
    Feed(grid, stream.references);
    EXPECT_EQ(Counted(grid, 5).misses, Simulate(SmallShapes(), stream.references).misses)
        << stream.name;
  }
}

TEST(StackGrid, CountsTheWriteBacksOfEveryCacheAtOnce) {
  for (const PlainStream& stream : PlainStreams(20000)) {
    StackGrid grid(SmallShapes());
    Feed(grid, stream.references);
    EXPECT_EQ(Counted(grid, 5).write_backs, Simulate(SmallShapes(), stream.references).write_backs)
        << stream.name;
  }
}

TEST(StackGrid, GoesOnAfterItHasCountedWhatWasEvicted) {
  const PlainStream stream = PlainStreams(20000).back();
  StackGrid grid(SmallShapes());
  const auto middle = stream.references.begin() + 9000;
  Feed(grid, {stream.references.begin(), middle});
  Feed(grid, {middle, stream.references.end()});
  EXPECT_EQ(Counted(grid, 5).write_backs, Simulate(SmallShapes(), stream.references).write_backs);
}

TEST(StackGrid, WorksForAnyNumberOfWays) {
  const std::vector<PlainReference> references = PlainStreams(3000)[1].references;
  for (unsigned ways = 1; ways <= kMaxWays; ++ways) {
    GridShapes shapes = {{32}, 4096, 8192, ways};
    StackGrid grid(shapes);
    Feed(grid, references);
    const Expected expected = Simulate(shapes, references);
    EXPECT_EQ(Counted(grid, 5).misses, expected.misses) << ways;
    EXPECT_EQ(Counted(grid, 5).write_backs, expected.write_backs) << ways;
  }
}

// Three lines of one set: A is written, then B and C evict it from caches with one and two ways.
TEST(StackGrid, AttributesMissesToTheReaderAndWriteBacksToTheWriter) {
  const GridShapes shapes = {{64}, 4096, 4096, 2};
  StackGrid grid(shapes);
  grid.Reference(0x10000, true, 1);
  grid.Reference(0x11000, false, 2);
  grid.Reference(0x12000, false, 2);
  grid.Reference(0x10000, false, 3);
  std::vector<std::uint64_t> write_backs(2);
  grid.AddWriteBacks(1, write_backs);
  EXPECT_EQ(write_backs, (std::vector<std::uint64_t>{1, 1}));
  EXPECT_FALSE(grid.HasWriteBacks(2));
  EXPECT_FALSE(grid.HasWriteBacks(3));
  std::vector<std::uint64_t> depths(3);
  grid.AddDepths(2, depths);
  EXPECT_EQ(depths, (std::vector<std::uint64_t>{0, 0, 2}));
}

TEST(StackGrid, TellsWhetherTheLineWasTheLastOneInItsSet) {
  StackGrid grid(SmallShapes());
  EXPECT_FALSE(grid.Reference(0x10000, false, 0));
  EXPECT_TRUE(grid.Reference(0x10020, false, 0));
  EXPECT_TRUE(grid.Reference(0x10020, true, 0));
  EXPECT_FALSE(grid.Reference(0x20000, false, 0));
}

TEST(StackGrid, DistinguishesAreasOfTheAddressSpaceUpToALimit) {
  StackGrid grid(SmallShapes());
  constexpr std::uint64_t kArea = std::uint64_t{1} << 38;
  for (std::uint64_t area = 0; area < 63; ++area) grid.Reference(area * kArea, false, 0);
  EXPECT_FALSE(grid.IsConfused());
  grid.Reference(63 * kArea, false, 0);
  EXPECT_TRUE(grid.IsConfused());
}

}  // namespace
}  // namespace tare::reuse
