// copy_check_test.cc: tests counters that share a core.
#include "machine/load/copy_check.h"

#include <gtest/gtest.h>

#include "machine/host/affinity.h"

namespace tare::load {
namespace {

// Ten blocks of 0.2 s with this share of a core that counts 1e9 per second.
CoreCounts Counts(unsigned core, double share) {
  CoreCounts counts{core, {}};
  for (int i = 0; i < 10; ++i) {
    const double start = 0.2 * i;
    counts.slices.push_back({start, start + 0.2, 2e8 * share, 0.2 * share, 3e-3, 30});
  }
  return counts;
}

TEST(CheckCopies, EachSeesTheOthersAndTogetherTheyCountAsOneAlone) {
  const std::vector<CoreRate> rates = {{0, {1e9, 1.001e9, 0.999e9}}, {1, {1e9, 1.001e9, 0.999e9}}};
  const std::vector<CoreCounts> counts = {Counts(0, 0.5), Counts(0, 0.5), Counts(1, 0.25),
                                          Counts(1, 0.25)};
  const auto checks = CheckCopies(counts, 2, rates, 0.95);
  ASSERT_TRUE(checks) << checks.error().message;
  ASSERT_EQ(checks->size(), 2u);
  for (const LoadWindow& copy : (*checks)[0].copies) EXPECT_TRUE(copy.load.Contains(1));
  EXPECT_NEAR((*checks)[0].together.Value(), 1e9, 1);
  // On core 1 a third process, or two, took half of the time.
  for (const LoadWindow& copy : (*checks)[1].copies) EXPECT_FALSE(copy.load.Contains(1));
  EXPECT_NEAR((*checks)[1].together.Value(), 0.5e9, 1);
}

// Whatever else runs: two threads on one core cannot have more than its time.
TEST(CountCopies, ShareOneCore) {
  const unsigned core = host::AllowedProcessors().value().front();
  CalibrationConfig config;
  config.cores = {core};
  config.block_seconds = 0.02;
  const std::vector<CoreRate> rates = {{core, {1e9, 1.001e9, 0.999e9}}};
  const auto checks = CountCopies(config, 2, rates, 0.95, NoProgress);
  ASSERT_TRUE(checks) << checks.error().message;
  ASSERT_EQ((*checks)[0].copies.size(), 2u);
  const auto& copies = (*checks)[0].copies;
  EXPECT_LT(copies[0].own_share + copies[1].own_share, 1.5);  // each begins for itself
  EXPECT_GT(copies[0].own_share, 0);
  EXPECT_GT(copies[1].own_share, 0);
  EXPECT_NEAR((*checks)[0].together.Value() / (copies[0].rate + copies[1].rate), 1, 0.5);
}

TEST(CountCopies, RefusesNumbersThatAreNoCheck) {
  CalibrationConfig config;
  config.cores = {0};
  for (const unsigned copies : {0u, 1u, 17u}) {
    EXPECT_FALSE(CountCopies(config, copies, {}, 0.95, NoProgress)) << copies;
  }
}

}  // namespace
}  // namespace tare::load
