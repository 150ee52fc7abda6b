// topology_test.cc: tests counts of hwloc's objects.
#include "machine/host/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>

namespace tare::host {
namespace {

using testing::SizeIs;

TEST(Topology, CountsTheObjectsOfADescription) {
  const auto topology = TopologyOfSynthetic(
      "package:2 [numanode(memory=1GB)] l3:1(size=32MB) l2:4(size=1MB) l1d:1(size=32kB) core:1 "
      "pu:2");
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->packages, 2U);
  EXPECT_EQ(topology->cores, 8U);
  EXPECT_EQ(topology->threads, 16U);
  EXPECT_EQ(topology->usable_threads, 16U);
  EXPECT_EQ(topology->numa_nodes, 2U);
  ASSERT_THAT(topology->caches, SizeIs(3));
  EXPECT_EQ(topology->caches[0].level, 1U);
  EXPECT_EQ(topology->caches[0].kind, CacheKind::kData);
  EXPECT_EQ(topology->caches[0].count, 8U);
  EXPECT_EQ(topology->caches[0].threads, 2U);
  EXPECT_EQ(topology->caches[2].level, 3U);
  EXPECT_EQ(topology->caches[2].count, 2U);
  EXPECT_EQ(topology->caches[2].threads, 8U);
  EXPECT_GT(topology->caches[2].bytes, topology->caches[1].bytes);
}

TEST(Topology, AWrongDescriptionIsAnError) {
  EXPECT_FALSE(TopologyOfSynthetic("nonsense"));
  EXPECT_FALSE(TopologyOfSynthetic(""));
}

// Nodes may have less memory than the system.
TEST(Topology, OfThisMachineHasAllMemory) {
  const auto topology = ReadTopology();
  ASSERT_TRUE(topology) << topology.error().message;
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  EXPECT_GE(topology->memory_bytes, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

TEST(Topology, OfThisMachineHasAThreadThatThisTestRunsOn) {
  const auto topology = ReadTopology();
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_GE(topology->threads, 1U);
  EXPECT_GE(topology->usable_threads, 1U);
  EXPECT_LE(topology->usable_threads, topology->threads);
  EXPECT_GE(topology->threads, topology->cores);
  EXPECT_GT(topology->memory_bytes, 0U);
}

}  // namespace
}  // namespace tare::host
