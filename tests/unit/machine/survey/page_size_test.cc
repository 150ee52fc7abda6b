// page_size_test.cc: tests deriving the page size from synthetic costs.
#include "machine/survey/page_size.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tare::survey {
namespace {

constexpr double kNear = 2e-9;
constexpr double kRise = 1.9e-9;

// Three elements for each of 40 TLB entries.
std::vector<SpacingCost> SyntheticPageCosts(double page) {
  std::vector<SpacingCost> costs;
  for (std::uint64_t spacing = 256; spacing <= (4 << 20); spacing *= 2) {
    const double pages = std::min(120.0, 120.0 * static_cast<double>(spacing) / page);
    const double cost = kNear + kRise * std::max(0.0, 1 - 40 / pages);
    costs.push_back({spacing, {cost, 1.02 * cost, cost, 4 * cost, cost}});
  }
  return costs;
}

TEST(PageSizeOf, IsWhereEachPlaceHasItsOwnTranslation) {
  EXPECT_EQ(PageSizeOf(SyntheticPageCosts(4096), kNear, kRise), 4096u);
  EXPECT_EQ(PageSizeOf(SyntheticPageCosts(65536), kNear, kRise), 65536u);
  EXPECT_EQ(PageSizeOf(SyntheticPageCosts(2 << 20), kNear, kRise), 2u << 20);
}

// An LRU TLB of 40 entries misses all loads on 120 pages. With two places on each of 60 pages it
// misses 58 %: those whose page was last used 40 pages ago or more
// (docs/methods/cache-discovery.md).
TEST(PageSizeOf, OfATlbThatReplacesTheLeastRecentlyUsedIsNotHalfAPage) {
  std::vector<SpacingCost> costs;
  for (std::uint64_t spacing = 256; spacing <= (4 << 20); spacing *= 2) {
    const double share = spacing < 2048 ? 0 : spacing == 2048 ? 0.58 : 1;
    costs.push_back({spacing, {kNear + kRise * share, kNear + 1.01 * kRise * share}});
  }
  EXPECT_EQ(PageSizeOf(costs, kNear, kRise), 4096u);
}

TEST(PageSizeOf, PagesLargerThanAllSpacingsAreNotFound) {
  EXPECT_FALSE(PageSizeOf(SyntheticPageCosts(1 << 30), kNear, kRise).has_value());
}

TEST(PageSizeOf, CostsThatAreHighFromTheStartGiveNoSize) {
  EXPECT_FALSE(PageSizeOf(SyntheticPageCosts(128), kNear, kRise).has_value());
  EXPECT_FALSE(PageSizeOf({}, kNear, kRise).has_value());
}

}  // namespace
}  // namespace tare::survey
