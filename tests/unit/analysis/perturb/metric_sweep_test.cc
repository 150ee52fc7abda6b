// metric_sweep_test.cc: tests the orders in which metrics are added.
#include "analysis/perturb/metric_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

namespace tare::perturb {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

const std::vector<std::string> kMetrics = {"a", "b", "c", "d", "e"};

TEST(MakeOrders, TheGivenOneComesFirstAndAllHaveAllMetrics) {
  const auto orders =
      MakeOrders(kMetrics, {.random_orders = 3, .alone = true, .controls = 2, .seed = 7});
  ASSERT_EQ(orders.size(), 6U);
  EXPECT_EQ(orders[0].name, "given");
  EXPECT_EQ(orders[0].metrics, kMetrics);
  EXPECT_EQ(orders[3].name, "random 3");
  EXPECT_EQ(orders[4].name, "alone");
  EXPECT_EQ(orders[5].name, "control");
  EXPECT_EQ(orders[5].metrics.size(), 2U);
  for (const SweepOrder& order : std::span(orders).first(5)) {
    EXPECT_THAT(order.metrics, UnorderedElementsAreArray(kMetrics));
  }
  EXPECT_NE(orders[1].metrics, orders[2].metrics);
}

TEST(MakeOrders, TheSameSeedGivesTheSameOrders) {
  const SweepOptions options{.random_orders = 2, .alone = false, .controls = 0, .seed = 3};
  EXPECT_EQ(MakeOrders(kMetrics, options)[2].metrics, MakeOrders(kMetrics, options)[2].metrics);
}

TEST(SetAt, GrowsByOneAndIsOneAlone) {
  const auto orders =
      MakeOrders(kMetrics, {.random_orders = 0, .alone = true, .controls = 1, .seed = 1});
  EXPECT_THAT(SetAt(orders[0], 0), ElementsAre("a"));
  EXPECT_THAT(SetAt(orders[0], 2), ElementsAre("a", "b", "c"));
  EXPECT_EQ(SetAt(orders[0], 4).size(), 5U);
  EXPECT_THAT(SetAt(orders[1], 2), ElementsAre("c"));
  EXPECT_TRUE(SetAt(orders[2], 0).empty());
}

}  // namespace
}  // namespace tare::perturb
