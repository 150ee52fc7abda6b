// discover_findings_test.cc: tests comparing discovered with reported values on a synthetic
// machine.
#include "machine/survey/discover_findings.h"
#include "tests/unit/machine/survey/byte_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tare::survey {
namespace {

Measurements SyntheticMachine() {
  Measurements measured;
  measured.first =
      FirstCache{Between(47.8 * kKi, 47.5 * kKi, 48.1 * kKi, 0.95), 48 * kKi, 2e-9, 2.5e-9};
  measured.first_latency = Between(1.2e-9, 1.2e-9, 1.3e-9, 0.95);
  measured.line_bytes = 64;
  measured.first_set = SharedSet{12, 4096};
  OuterCache second;
  second.found = Between(1.9 * kMi, 1.88 * kMi, 1.92 * kMi, 0.95);
  second.bytes = 2 * kMi;
  second.ways = WaysEstimate{16, 8, 16};
  second.latency = Between(4e-9, 3.9e-9, 4.1e-9, 0.95);
  measured.outer.second = second;
  measured.outer.reason = "no third";
  measured.outer.memory = Between(90e-9, 89e-9, 91e-9, 0.95);
  Tlbs small;
  small.levels = {{Between(95.6, 95, 96, 0.95), 96, Between(2e-9, 1.9e-9, 2.1e-9, 0.95)}};
  measured.small = small;
  measured.page_bytes = 4096;
  measured.huge_bytes = 4096;
  return measured;
}

host::Topology Reported() {
  host::Topology topology;
  topology.memory_bytes = 16'000'000'000;
  topology.caches = {{1, host::CacheKind::kData, 49152, 64, 12, 2, 8},
                     {1, host::CacheKind::kInstruction, 32768, 64, 8, 2, 8},
                     {3, host::CacheKind::kUnified, 32 << 20, 64, 16, 16, 1}};
  return topology;
}

machine_profile::Discovery Row(const Found& found, const std::string& what) {
  const auto row = std::ranges::find(found.discovered, what, &machine_profile::Discovery::what);
  EXPECT_NE(row, found.discovered.end()) << what;
  return *row;
}

TEST(FindingsOf, SetsWhatIsReportedBesideWhatWasMeasured) {
  const Found found = FindingsOf(SyntheticMachine(), Reported(), {4096, 2 * kMi}, false);
  const machine_profile::Discovery capacity = Row(found, "L1 capacity");
  ASSERT_TRUE(capacity.measured.has_value());
  EXPECT_EQ(capacity.measured->Value(), 48 * kKi);
  EXPECT_EQ(capacity.measured->low, 47.5 * kKi);
  EXPECT_EQ(capacity.reported, 49152);
  EXPECT_EQ(Row(found, "L1 associativity").reported, 12);
  EXPECT_FALSE(Row(found, "L2 capacity").reported.has_value());
}

TEST(FindingsOf, LinesThatShareASetDecideWhenSomethingElseUsesTheCache) {
  Measurements measured = SyntheticMachine();
  measured.first->found = Between(28 * kKi, 27 * kKi, 29 * kKi, 0.95);
  measured.first->bytes = 32 * kKi;
  const Found found = FindingsOf(measured, Reported(), {4096, 2 * kMi}, false);
  const machine_profile::Discovery capacity = Row(found, "L1 capacity");
  EXPECT_EQ(capacity.measured->Value(), 48 * kKi);
  EXPECT_EQ(capacity.measured->low, 27 * kKi);
  EXPECT_EQ(capacity.measured->verdict, Verdict::kDoubtful);
  EXPECT_EQ(found.levels[0].bytes, 48 * kKi);
  EXPECT_EQ(found.levels[0].ways, 12u);
}

TEST(FindingsOf, WaysThatDoNotFitTheCapacityAreLeftOutOfTheLevel) {
  Measurements measured = SyntheticMachine();
  // A set that spans far more than the cache is not one of the cache.
  measured.first_set = SharedSet{7, 65536};
  const Found found = FindingsOf(measured, Reported(), {4096, 2 * kMi}, false);
  EXPECT_EQ(found.levels[0].bytes, 48 * kKi);
  EXPECT_EQ(found.levels[0].ways, 0u);
}

TEST(FindingsOf, IntervalContainsTheNominalSize) {
  const Found found = FindingsOf(SyntheticMachine(), Reported(), {4096, 2 * kMi}, false);
  const machine_profile::Discovery capacity = Row(found, "L2 capacity");
  EXPECT_EQ(capacity.measured->Value(), 2 * kMi);
  EXPECT_EQ(capacity.measured->high, 2 * kMi);
  EXPECT_EQ(capacity.measured->low, 1.88 * kMi);
}

TEST(FindingsOf, CacheThatWasNotFoundHasAReason) {
  const Found found = FindingsOf(SyntheticMachine(), Reported(), {4096, 2 * kMi}, false);
  const machine_profile::Discovery third = Row(found, "L3 capacity");
  EXPECT_FALSE(third.measured.has_value());
  EXPECT_EQ(third.reason, "no third");
  EXPECT_EQ(third.reported, 32 << 20);
}

TEST(FindingsOf, ACacheOfWhichOthersLeaveLessThanTheOneBeforeIsNoLevel) {
  Measurements measured = SyntheticMachine();
  OuterCache third;
  third.found = Between(1.5 * kMi, 1.4 * kMi, 1.6 * kMi, 0.95);
  third.bytes = 1.5 * kMi;
  third.latency = Between(20e-9, 19e-9, 21e-9, 0.95);
  measured.outer.third = third;
  const Found found = FindingsOf(measured, Reported(), {4096, 2 * kMi}, false);
  const machine_profile::Discovery capacity = Row(found, "L3 capacity");
  ASSERT_TRUE(capacity.measured.has_value());
  EXPECT_EQ(capacity.measured->reason,
            "it is not larger than the previous level: other work occupies most of it");
  EXPECT_EQ(std::ranges::find(found.levels, "L3", &machine_profile::Level::name),
            found.levels.end());
  EXPECT_EQ(found.levels.size(), 3U);
}

TEST(FindingsOf, DoubtIsShown) {
  const Found found = FindingsOf(SyntheticMachine(), Reported(), {4096, 2 * kMi}, false);
  EXPECT_EQ(Row(found, "L2 associativity").measured->verdict, Verdict::kDoubtful);
  EXPECT_EQ(Row(found, "huge page size").measured->verdict, Verdict::kDoubtful);
  EXPECT_EQ(Row(found, "page size").measured->verdict, Verdict::kValid);
}

TEST(FindingsOf, GraphsHaveOnlyPointsThatCostMoreThanTheWalkItself) {
  Measurements measured = SyntheticMachine();
  measured.walk_overhead = 1e-9;
  const auto points = [](std::uint64_t size, double seconds) {
    return CostSamples{static_cast<double>(size), std::vector(8, seconds)};
  };
  measured.costs = {points(16 * kKi, 0.97e-9), points(32 * kKi, 3e-9)};
  measured.costs[1].seconds[0] = 0.5e-9;
  const Found found = FindingsOf(measured, Reported(), {4096, 2 * kMi}, false);
  ASSERT_EQ(found.graphs.size(), 1u);
  ASSERT_EQ(found.graphs[0].points.size(), 1u);
  const Measured& seconds = found.graphs[0].points[0].y;
  EXPECT_EQ(found.graphs[0].points[0].x, 32 * kKi);
  EXPECT_NEAR(seconds.Value(), 2e-9, 1e-12);
  EXPECT_GE(seconds.Low(), 0);
}

TEST(FindingsOf, LevelsEndWithMemory) {
  const Found found = FindingsOf(SyntheticMachine(), Reported(), {4096, 2 * kMi}, false);
  ASSERT_EQ(found.levels.size(), 3u);
  EXPECT_EQ(found.levels[0].name, "L1");
  EXPECT_EQ(found.levels[0].ways, 12u);
  EXPECT_EQ(found.levels[1].bytes, 2u << 20);
  EXPECT_EQ(found.levels[2].name, "memory");
  EXPECT_EQ(found.levels[2].bytes, 16'000'000'000u);
  ASSERT_EQ(found.tlbs.size(), 1u);
  EXPECT_EQ(found.tlbs[0].entries, 96u);
  EXPECT_EQ(Row(found, "TLB 1 reach").measured->Value(), 96 * 4096);
}

TEST(FindingsOf, MachineWithoutStepsIsAllReasons) {
  const Found found = FindingsOf({}, {}, {4096, std::nullopt}, false);
  ASSERT_EQ(found.levels.size(), 1U);
  EXPECT_EQ(found.levels[0].name, "memory");
  EXPECT_FALSE(found.levels[0].latency.has_value());
  for (const machine_profile::Discovery& row : found.discovered) {
    EXPECT_FALSE(row.measured.has_value()) << row.what;
    EXPECT_FALSE(row.reason.empty()) << row.what;
  }
}

}  // namespace
}  // namespace tare::survey
