// cache_hits_test.cc: tests hit rates of described hierarchies against a plain simulation of the
// same references.
#include "predict/signature/cache_hits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <list>
#include <random>
#include <set>
#include <vector>

namespace tare::signature {
namespace {

using testing::HasSubstr;

// An LRU cache, written down as its definition says.
class PlainCache {
 public:
  PlainCache(std::uint64_t sets, unsigned ways, unsigned line)
      : sets_(sets), ways_(ways), line_(line), lines_(sets) {}

  // Returns whether it misses.
  bool Access(std::uint64_t address, bool store) {
    const std::uint64_t line = address / line_;
    auto& set = lines_[line % sets_];
    const auto found = std::ranges::find(set, line);
    const bool missed = found == set.end();
    if (!missed) set.erase(found);
    set.push_front(line);
    if (store) dirty_.insert(line);
    if (set.size() > ways_) {
      written_ += dirty_.erase(set.back());
      set.pop_back();
    }
    return missed;
  }
  std::uint64_t written() const { return written_; }

 private:
  std::uint64_t sets_;
  unsigned ways_;
  unsigned line_;
  std::vector<std::list<std::uint64_t>> lines_;
  std::set<std::uint64_t> dirty_;
  std::uint64_t written_ = 0;
};

struct Reference {
  std::uint64_t address;
  bool store;
};

// The depth of a reference in a list of recent lines; SIZE_MAX for a first one.
std::size_t Depth(std::list<std::uint64_t>& recent, std::uint64_t line) {
  std::size_t depth = 0;
  for (auto it = recent.begin(); it != recent.end(); ++it, ++depth) {
    if (*it != line) continue;
    recent.erase(it);
    recent.push_front(line);
    return depth;
  }
  recent.push_front(line);
  return SIZE_MAX;
}

Grid SmallGrid() {
  Grid grid;
  grid.min_way_bytes = 4096;
  grid.max_way_bytes = 16384;
  grid.max_ways = 8;
  return grid;
}

// A block that makes all of the references.
Block Collect(const std::vector<Reference>& references, const Grid& grid) {
  Block block;
  block.near.at_depth.assign(grid.Shapes() * grid.Depths(), 0);
  block.near.write_backs.assign(grid.Shapes() * grid.max_ways, 0);
  for (const unsigned line : grid.line_bytes) {
    for (std::uint64_t way = grid.min_way_bytes; way <= grid.max_way_bytes; way *= 2) {
      const std::uint64_t sets = way / line;
      const std::size_t shape = *grid.ShapeOf(line, sets);
      std::vector<std::list<std::uint64_t>> recent(sets);
      for (const Reference& reference : references) {
        const std::uint64_t number = reference.address / line;
        const std::size_t depth = Depth(recent[number % sets], number);
        ++block.near.at_depth[shape * grid.Depths() + std::min<std::size_t>(depth, grid.max_ways)];
      }
      for (unsigned ways = 1; ways <= grid.max_ways; ++ways) {
        PlainCache cache(sets, ways, line);
        for (const Reference& reference : references)
          cache.Access(reference.address, reference.store);
        block.near.write_backs[shape * grid.max_ways + ways - 1] = cache.written();
      }
    }
  }
  block.far.at_distance.assign(kDistanceBins, 0);
  std::list<std::uint64_t> recent;
  for (const Reference& reference : references) {
    ++(reference.store ? block.stores : block.loads);
    const std::size_t distance = Depth(recent, reference.address / grid.far_line_bytes);
    if (distance == SIZE_MAX) {
      ++block.far.cold;
    } else {
      ++block.far.at_distance[DistanceBin(distance)];
    }
  }
  block.far.beyond_error.assign(kDistanceBins, 0);
  for (const std::uint64_t page : grid.page_bytes) {
    PageReuse reuse;
    reuse.at_distance.assign(kDistanceBins, 0);
    std::list<std::uint64_t> pages;
    for (const Reference& reference : references) {
      const std::size_t distance = Depth(pages, reference.address / page);
      if (distance == SIZE_MAX) {
        ++reuse.cold;
      } else {
        ++reuse.at_distance[DistanceBin(distance)];
      }
    }
    block.pages.push_back(std::move(reuse));
  }
  return block;
}

// Random references with locality: some hot lines, some cold ones, some runs.
std::vector<Reference> Mixed(std::size_t count, std::uint64_t bytes) {
  std::mt19937_64 random(5);
  std::vector<Reference> references;
  while (references.size() < count) {
    const std::uint64_t kind = random() % 4;
    const std::uint64_t base = random() % (kind == 0 ? bytes : bytes / 16) / 8 * 8;
    const std::uint64_t run = kind == 1 ? 32 : 1;
    const bool store = random() % 3 == 0;
    for (std::uint64_t i = 0; i < run; ++i) references.push_back({base + 8 * i, store});
  }
  return references;
}

double PlainMisses(const std::vector<Reference>& references, const CacheShape& shape) {
  const unsigned ways =
      shape.ways == 0 ? static_cast<unsigned>(shape.bytes / shape.line_bytes) : shape.ways;
  PlainCache cache(shape.bytes / shape.line_bytes / ways, ways, shape.line_bytes);
  double misses = 0;
  for (const Reference& reference : references)
    misses += cache.Access(reference.address, reference.store) ? 1 : 0;
  return misses;
}

class CacheHits : public testing::Test {
 protected:
  LevelUse Use(const CacheShape& shape) {
    return UseOf(block_, grid_, Hierarchy{"test", {shape}, {}}, true);
  }

  Grid grid_ = SmallGrid();
  std::vector<Reference> references_ = Mixed(20000, 512 << 10);
  Block block_ = Collect(references_, grid_);
};

TEST_F(CacheHits, TheNearZoneIsExact) {
  for (const unsigned line : {64U, 128U}) {
    for (const std::uint64_t way : {4096U, 8192U, 16384U}) {
      for (const unsigned ways : {1U, 2U, 5U, 8U}) {
        const CacheShape shape{way * ways, ways, line};
        const LevelUse use = Use(shape);
        EXPECT_TRUE(use.misses[0].exact);
        EXPECT_DOUBLE_EQ(use.misses[0].Value(), PlainMisses(references_, shape));
        EXPECT_DOUBLE_EQ(use.references, static_cast<double>(references_.size()));
      }
    }
  }
}

TEST_F(CacheHits, WriteBacksOfTheNearZoneAreExact) {
  const CacheShape shape{32 << 10, 4, 64};
  PlainCache cache(128, 4, 64);
  for (const Reference& reference : references_) cache.Access(reference.address, reference.store);
  ASSERT_GT(cache.written(), 0u);
  EXPECT_DOUBLE_EQ(Use(shape).write_backs[0], static_cast<double>(cache.written()));
}

TEST_F(CacheHits, FullyAssociativeCachesComeFromFarDistances) {
  for (const std::uint64_t bytes : {8192U, 65536U, 100U * 64, 1U << 20}) {
    const CacheShape shape{bytes, 0, 64};
    const Measured misses = Use(shape).misses[0];
    const double plain = PlainMisses(references_, shape);
    EXPECT_FALSE(misses.exact);
    EXPECT_LE(misses.Low(), plain) << bytes;
    EXPECT_GE(misses.High(), plain) << bytes;
  }
}

// Sets or ways beyond the grid: within half a percentage point, as the sets fill evenly.
TEST_F(CacheHits, OtherSetsAndWaysFollowTheBinomialModel) {
  for (const CacheShape& shape :
       {CacheShape{256 << 10, 4, 64}, CacheShape{128 << 10, 2, 64}, CacheShape{64 << 10, 16, 64},
        CacheShape{8 << 10, 8, 64}, CacheShape{192 << 10, 16, 64}}) {
    const double rate = Use(shape).misses[0].Value() / static_cast<double>(references_.size());
    const double plain = PlainMisses(references_, shape) / static_cast<double>(references_.size());
    EXPECT_NEAR(rate, plain, 0.005) << shape.bytes << " bytes, " << shape.ways << " ways";
  }
}

TEST_F(CacheHits, SetsBetweenTwoPowersOfTwoAreBetweenTheirMisses) {
  const CacheShape shape{4 * 12288, 4, 64};  // 192 sets
  const Measured misses = Use(shape).misses[0];
  const double fewer = PlainMisses(references_, {4 * 16384, 4, 64});
  const double more = PlainMisses(references_, {4 * 8192, 4, 64});
  EXPECT_FALSE(misses.exact);
  EXPECT_GE(misses.Value(), fewer);
  EXPECT_LE(misses.Value(), more);
  // Within one percentage point.
  EXPECT_NEAR(misses.Value(), PlainMisses(references_, shape),
              0.01 * static_cast<double>(references_.size()));
}

TEST_F(CacheHits, OtherLineSizesAreScaledAndSaySo) {
  for (const unsigned line : {32U, 256U}) {
    const CacheShape shape{32 << 10, 4, line};
    const Measured misses = Use(shape).misses[0];
    const double plain = PlainMisses(references_, shape);
    EXPECT_FALSE(misses.exact);
    EXPECT_LE(misses.Low(), plain) << line;
    EXPECT_GE(misses.High(), plain) << line;
    EXPECT_NEAR(misses.Value(), plain, 0.25 * plain) << line;
  }
}

TEST_F(CacheHits, OuterCachesDoNotMissMoreThanInnerOnes) {
  const Hierarchy hierarchy{"test", {{32 << 10, 8, 64}, {40 << 10, 1, 64}}, {}};
  const LevelUse use = UseOf(block_, grid_, hierarchy);
  EXPECT_LE(use.misses[1].Value(), use.misses[0].Value());
}

// Entries at the start of a bin need no interpolation: 2^(n/4), rounded up.
TEST_F(CacheHits, TlbsAtTheStartOfABinAreExact) {
  const Hierarchy hierarchy{"test", {{32 << 10, 8, 64}}, {{4096, 16}, {4096, 64}}};
  const LevelUse use = UseOf(block_, grid_, hierarchy);
  ASSERT_EQ(use.tlb_misses.size(), 2u);
  EXPECT_TRUE(use.tlb_misses[0].exact);
  EXPECT_DOUBLE_EQ(use.tlb_misses[0].Value(), PlainMisses(references_, {16 * 4096, 0, 4096}));
  EXPECT_DOUBLE_EQ(use.tlb_misses[1].Value(), PlainMisses(references_, {64 * 4096, 0, 4096}));
}

TEST_F(CacheHits, OtherTlbsAreInterpolatedWithinTheirBin) {
  for (const std::uint64_t entries : {13U, 24U, 100U}) {
    const Hierarchy hierarchy{"test", {{32 << 10, 8, 64}}, {{4096, entries}}};
    const Measured misses = UseOf(block_, grid_, hierarchy).tlb_misses[0];
    const double plain = PlainMisses(references_, {entries * 4096, 0, 4096});
    EXPECT_LE(misses.Low(), plain) << entries;
    EXPECT_GE(misses.High(), plain) << entries;
    EXPECT_NEAR(misses.Value(), plain, 0.01 * static_cast<double>(references_.size())) << entries;
  }
}

TEST_F(CacheHits, PagesBetweenTheListedOnesAreBetween) {
  const Hierarchy hierarchy{"test", {{32 << 10, 8, 64}}, {{16384, 8}}};
  const Measured misses = UseOf(block_, grid_, hierarchy).tlb_misses[0];
  const double plain = PlainMisses(references_, {8 * 16384, 0, 16384});
  EXPECT_FALSE(misses.exact);
  EXPECT_LE(misses.Low(), plain);
  EXPECT_GE(misses.High(), plain);
}

TEST_F(CacheHits, ASampledNearZoneIsNotExact) {
  const Hierarchy hierarchy{"test", {{32 << 10, 8, 64}}, {}};
  block_.near.moved = 10000;
  block_.near.moved_error = 100;
  const Measured misses = UseOf(block_, grid_, hierarchy, false).misses[0];
  EXPECT_FALSE(misses.exact);
  EXPECT_LT(misses.Low(), misses.Value());
  EXPECT_GT(misses.High(), misses.Value());
}

TEST_F(CacheHits, TheErrorOfTheSampleWidensTheInterval) {
  const CacheShape shape{1 << 20, 16, 64};
  const double before = Use(shape).misses[0].HalfWidth();
  block_.far.beyond_error.assign(kDistanceBins, 100);
  EXPECT_GT(Use(shape).misses[0].HalfWidth(), before);
}

TEST_F(CacheHits, UsesAddUp) {
  const Hierarchy hierarchy{"test", {{32 << 10, 8, 64}, {1 << 20, 16, 64}}, {{4096, 64}}};
  const LevelUse one = UseOf(block_, grid_, hierarchy);
  LevelUse sum;
  AddUse(one, sum);
  AddUse(one, sum);
  EXPECT_DOUBLE_EQ(sum.references, 2 * one.references);
  EXPECT_TRUE(sum.misses[0].exact);
  EXPECT_DOUBLE_EQ(sum.misses[0].Value(), 2 * one.misses[0].Value());
  EXPECT_DOUBLE_EQ(sum.misses[1].High(), 2 * one.misses[1].High());
  EXPECT_DOUBLE_EQ(sum.write_backs[0], 2 * one.write_backs[0]);
  EXPECT_DOUBLE_EQ(sum.tlb_misses[0].Value(), 2 * one.tlb_misses[0].Value());
}

TEST(EmptyBlock, HasNoMisses) {
  const LevelUse use = UseOf({}, {}, Hierarchy{"test", {{32 << 10, 8, 64}}, {{4096, 64}}});
  EXPECT_DOUBLE_EQ(use.misses[0].Value(), 0);
  EXPECT_DOUBLE_EQ(use.write_backs[0], 0);
  EXPECT_DOUBLE_EQ(use.tlb_misses[0].Value(), 0);
  EXPECT_FALSE(HitRate(use.misses[0], use.references).value);
}

TEST(HitRates, AreOneMinusMisses) {
  const Measured exact = HitRate(Exact(25), 100);
  EXPECT_TRUE(exact.exact);
  EXPECT_DOUBLE_EQ(exact.Value(), 0.75);
  const Measured estimated = HitRate(Between(20, 10, 40, 0.95), 100);
  EXPECT_DOUBLE_EQ(estimated.Low(), 0.6);
  EXPECT_DOUBLE_EQ(estimated.High(), 0.9);
}

std::string Mistake(const Hierarchy& hierarchy) {
  const auto valid = Validate(hierarchy);
  return valid ? "" : valid.error().message;
}

TEST(Hierarchies, ImpossibleOnesAreRefused) {
  EXPECT_EQ(Mistake({"m", {{32768, 8, 64}}, {{4096, 64}}}), "");
  EXPECT_THAT(Mistake({"m", {}, {}}), HasSubstr("it has no cache"));
  EXPECT_THAT(Mistake({"m", {{32768, 8, 0}}, {}}), HasSubstr("lines of 0 bytes"));
  EXPECT_THAT(Mistake({"m", {{32768, 8, 48}}, {}}), HasSubstr("power of two"));
  EXPECT_THAT(Mistake({"m", {{256, 8, 64}}, {}}), HasSubstr("one set of its lines needs 512"));
  EXPECT_THAT(Mistake({"m", {{65536, 8, 64}, {32768, 8, 64}}, {}}), HasSubstr("fewer than L1"));
  EXPECT_THAT(Mistake({"m", {{32768, 8, 64}}, {{4096, 0}}}), HasSubstr("TLB 1 has 0 entries"));
  EXPECT_THAT(Mistake({"m", {{32768, 8, 64}}, {{0, 4}}}), HasSubstr("pages of 0 bytes"));
}

TEST(Hierarchies, ComeFromProfiles) {
  machine_profile::Profile profile;
  profile.name = "m";
  profile.levels = {{.name = "L1", .bytes = 32768, .line_bytes = 64, .ways = 8},
                    {.name = "L2", .bytes = 1 << 20},
                    {.name = "memory", .bytes = 1 << 30}};
  profile.tlbs = {{.name = "TLB 1", .page_bytes = 2 << 20, .entries = 32},
                  {.name = "TLB 1", .page_bytes = 4096, .entries = 64}};
  const Hierarchy hierarchy = HierarchyOf(profile);
  ASSERT_EQ(hierarchy.caches.size(), 2u);
  EXPECT_EQ(hierarchy.caches[0], (CacheShape{32768, 8, 64}));
  EXPECT_EQ(hierarchy.caches[1], (CacheShape{1 << 20, 0, 64}));
  ASSERT_EQ(hierarchy.tlbs.size(), 1u);
  EXPECT_EQ(hierarchy.tlbs[0], (TlbShape{4096, 64}));
  EXPECT_EQ(hierarchy.assumed.size(), 2u);
}

TEST(Hierarchies, ComeFromProcessors) {
  model::Processor processor;
  processor.name = "p";
  processor.l1d = {.bytes = 32768, .ways = 8};
  processor.l2 = model::CacheLevel{.bytes = 1 << 20, .ways = 16, .line_bytes = 128};
  processor.small_pages.data = model::TlbLevel{.entries = 64, .ways = 4};
  processor.small_pages.second = model::TlbLevel{.entries = 1536, .ways = 12};
  const Hierarchy hierarchy = HierarchyOf(processor);
  ASSERT_EQ(hierarchy.caches.size(), 2u);
  EXPECT_EQ(hierarchy.caches[1], (CacheShape{1 << 20, 16, 128}));
  ASSERT_EQ(hierarchy.tlbs.size(), 2u);
  EXPECT_EQ(hierarchy.tlbs[1], (TlbShape{4096, 1536}));
}

}  // namespace
}  // namespace tare::signature
