// hit_rates_test.cc: compares the closed form with caches that are simulated access by access.
#include "machine/profile/hit_rates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>

#include "stats/random.h"
#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

// A simple LRU cache: each set is a list of lines, the most recently used first.
class PlainCache {
 public:
  explicit PlainCache(const Level& level)
      : line_(level.line_bytes), ways_(level.ways), sets_(level.bytes / line_ / ways_) {}

  bool Access(std::uint64_t address) {
    const std::uint64_t line = address / line_;
    std::list<std::uint64_t>& set = sets_[line % sets_.size()];
    const auto found = std::ranges::find(set, line);
    const bool hit = found != set.end();
    if (hit) set.erase(found);
    set.push_front(line);
    if (set.size() > ways_) set.pop_back();
    return hit;
  }

 private:
  std::uint64_t line_;
  std::size_t ways_;
  std::vector<std::list<std::uint64_t>> sets_;
};

// Returns the addresses of one sweep over all lines, as microbenchmarks access them.
std::vector<std::uint64_t> Sweep(const CurveKey& key, std::uint64_t bytes, std::uint64_t line) {
  const std::uint64_t stride = std::uint64_t{key.stride} * key.element_bytes;
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t start = 0; start < std::max(stride, line); start += line) {
    for (std::uint64_t address = start; address < bytes; address += stride) {
      addresses.insert(addresses.end(), key.AccessesPerElement(), address);
    }
  }
  return addresses;
}

std::vector<std::uint64_t> Shuffled(std::uint64_t bytes, std::uint64_t line) {
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t address = 0; address < bytes; address += line) addresses.push_back(address);
  stats::Generator generator(7);
  for (std::size_t i = addresses.size(); i > 1; --i) {
    std::swap(addresses[i - 1], addresses[generator.Below(i)]);
  }
  return addresses;
}

// Returns cumulative hit rates of the third sweep. An outer cache sees the misses of the inner
// ones.
std::vector<double> Walk(const std::vector<Level>& levels,
                         const std::vector<std::uint64_t>& sweep) {
  std::vector<PlainCache> caches;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) caches.emplace_back(levels[i]);
  std::vector<double> served(caches.size() + 1, 0.0);
  for (int round = 0; round < 3; ++round) {
    std::ranges::fill(served, 0.0);
    for (const std::uint64_t address : sweep) {
      std::size_t level = 0;
      while (level < caches.size() && !caches[level].Access(address)) ++level;
      served[level] += 1;
    }
  }
  std::vector<double> hits;
  double sum = 0;
  for (std::size_t i = 0; i < caches.size(); ++i) {
    sum += served[i];
    hits.push_back(sum / static_cast<double>(sweep.size()));
  }
  return hits;
}

void ExpectSame(const std::vector<double>& computed, const std::vector<double>& walked,
                const std::string& what) {
  ASSERT_EQ(computed.size(), walked.size());
  for (std::size_t i = 0; i < computed.size(); ++i) {
    EXPECT_NEAR(computed[i], walked[i], 1e-12) << what << ", cache " << i;
  }
}

std::vector<Level> OneCache(unsigned ways) { return {Cache("L1", 4096, ways), Memory()}; }

TEST(HitRates, AreThoseOfAWalkThroughOneCache) {
  for (const unsigned ways : {1u, 2u, 4u, 8u, 64u}) {
    const auto levels = OneCache(ways);
    for (std::uint64_t bytes = 1024; bytes <= 12288; bytes += 512) {
      for (const Access access : {Access::kLoad, Access::kStore, Access::kUpdate}) {
        for (const unsigned stride : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
          const CurveKey key{access, Pattern::kStrided, stride, 8};
          ExpectSame(HitRates(levels, key, bytes), Walk(levels, Sweep(key, bytes, 64)),
                     CurveName(key) + ", " + std::to_string(bytes) + " B, " + std::to_string(ways) +
                         " ways");
        }
      }
    }
  }
}

TEST(HitRates, AreThoseOfAWalkThroughThreeCaches) {
  const std::vector<Level> levels = {Cache("L1", 2048, 4), Cache("L2", 8192, 8),
                                     Cache("L3", 24576, 12), Memory()};
  for (std::uint64_t bytes = 1024; bytes <= 40960; bytes += 832) {
    const std::uint64_t whole = bytes / 64 * 64;
    for (const unsigned stride : {1u, 4u, 16u}) {
      for (const unsigned element : {8u, 16u}) {
        const CurveKey key{Access::kLoad, Pattern::kStrided, stride, element};
        ExpectSame(HitRates(levels, key, whole), Walk(levels, Sweep(key, whole, 64)),
                   CurveName(key) + ", " + std::to_string(whole) + " B");
      }
    }
  }
}

TEST(HitRates, OfAChainAreThoseOfAWalkInAnyFixedOrder) {
  const std::vector<Level> levels = {Cache("L1", 2048, 4), Cache("L2", 8192, 8), Memory()};
  const CurveKey key{Access::kLoad, Pattern::kChained, 1, 8};
  for (std::uint64_t bytes = 1024; bytes <= 16384; bytes += 448) {
    const std::uint64_t whole = bytes / 64 * 64;
    ExpectSame(HitRates(levels, key, whole), Walk(levels, Shuffled(whole, 64)),
               std::to_string(whole) + " B");
  }
}

// With uniformly drawn lines, a set of q lines in w ways contains each of them with probability
// w/q.
TEST(HitRates, OfRandomAccessesAreTheShareOfTheSetThatFits) {
  const auto levels = OneCache(4);
  const CurveKey load{Access::kLoad, Pattern::kRandom, 1, 8};
  const CurveKey update{Access::kUpdate, Pattern::kRandom, 1, 8};
  EXPECT_DOUBLE_EQ(HitRates(levels, load, 4096)[0], 1);
  EXPECT_DOUBLE_EQ(HitRates(levels, load, 16384)[0], 0.25);
  EXPECT_DOUBLE_EQ(HitRates(levels, update, 16384)[0], 0.625);
  for (const std::uint64_t bytes : {5120u, 8192u, 20480u}) {
    PlainCache cache(levels[0]);
    stats::Generator generator(bytes);
    int hits = 0;
    constexpr int kAccesses = 200'000;
    for (int i = 0; i < kAccesses; ++i) hits += cache.Access(generator.Below(bytes));
    EXPECT_NEAR(HitRates(levels, load, bytes)[0], hits / double{kAccesses}, 0.01) << bytes;
  }
}

TEST(HitRates, CountEachCachesOwnLines) {
  std::vector<Level> levels = {Cache("L1", 2048, 4), Cache("L2", 16384, 8), Memory()};
  levels[1].line_bytes = 128;
  const CurveKey key{Access::kLoad, Pattern::kStrided, 2, 8};
  for (std::uint64_t bytes = 1024; bytes <= 40960; bytes += 1024) {
    ExpectSame(HitRates(levels, key, bytes), Walk(levels, Sweep(key, bytes, 64)),
               std::to_string(bytes) + " B");
  }
}

TEST(HitRates, StepAtTheCapacityWhenTheWaysAreNotKnown) {
  const auto levels = OneCache(0);
  const CurveKey key{Access::kLoad, Pattern::kStrided, 1, 8};
  EXPECT_DOUBLE_EQ(HitRates(levels, key, 4096)[0], 1);
  EXPECT_DOUBLE_EQ(HitRates(levels, key, 4160)[0], 0.875);
}

TEST(HitRates, NeverFallTowardsMemory) {
  // The outer cache is only slightly larger and has fewer ways.
  std::vector<Level> levels = {Cache("L1", 4096, 64), Cache("L2", 4608, 1), Memory()};
  levels[1].line_bytes = 32;
  for (std::uint64_t bytes = 1024; bytes < 16384; bytes += 64) {
    const auto hits = HitRates(levels, {Access::kLoad, Pattern::kStrided, 1, 8}, bytes);
    EXPECT_LE(hits[0], hits[1]) << bytes;
  }
}

TEST(ServedShares, AddUpToOne) {
  const auto levels = ExampleLevels();
  for (const Pattern pattern : {Pattern::kStrided, Pattern::kRandom, Pattern::kChained}) {
    for (std::uint64_t bytes = 1024; bytes < (1 << 24); bytes *= 2) {
      const auto shares = ServedShares(levels, {Access::kLoad, pattern, 1, 8}, bytes + 64);
      ASSERT_EQ(shares.size(), 3u);
      EXPECT_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-15);
      EXPECT_GE(*std::ranges::min_element(shares), 0);
    }
  }
}

TEST(FillHits, LeavesThoseThatAreThere) {
  Profile profile = ExampleProfile();
  profile.curves[0].points[1].hits = {0.1, 0.2};
  FillHits(profile);
  EXPECT_EQ(profile.curves[0].points[1].hits, (std::vector{0.1, 0.2}));
  EXPECT_EQ(profile.curves[1].points[0].hits, (std::vector{1.0, 1.0}));
}

}  // namespace
}  // namespace tare::machine_profile
