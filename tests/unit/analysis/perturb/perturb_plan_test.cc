// perturb_plan_test.cc: tests that groups are found with few tests, and none is tested twice.
#include "analysis/perturb/perturb_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tare::perturb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Metrics(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("m" + std::to_string(i));
  return names;
}

// Fails the sets for which `bad` is true; counts how often each set is tested.
struct Oracle {
  std::function<bool(const MetricSet&)> bad;
  std::map<MetricSet, int> tested;

  TestOfSet Test() {
    return [this](const MetricSet& set) -> Result<SetAnswer> {
      ++tested[set];
      return SetAnswer{bad(set) ? "perturbed" : "", 1};
    };
  }
  bool NeverTwice() const {
    return std::ranges::all_of(tested, [](const auto& entry) { return entry.second == 1; });
  }
};

bool HasAny(const MetricSet& set, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* name) { return set.contains(name); });
}

TEST(FindGroups, OneTestIsEnoughWhenAllGoTogether) {
  Oracle oracle{[](const MetricSet&) { return false; }, {}};
  const auto plan = FindGroups(Metrics(20), oracle.Test(), {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->groups.size(), 1U);
  EXPECT_EQ(plan->groups[0].size(), 20U);
  EXPECT_EQ(plan->tests.size(), 1U);
  EXPECT_THAT(plan->not_placed, IsEmpty());
}

TEST(FindGroups, MetricsThatPerturbByThemselvesAreNamedAndTheRestGoesTogether) {
  Oracle oracle{[](const MetricSet& set) { return HasAny(set, {"m3", "m11", "m12"}); }, {}};
  const auto plan = FindGroups(Metrics(20), oracle.Test(), {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->groups.size(), 1U);
  EXPECT_EQ(plan->groups[0].size(), 17U);
  ASSERT_EQ(plan->not_placed.size(), 3U);
  EXPECT_EQ(plan->not_placed[0].metric, "m11");
  EXPECT_EQ(plan->not_placed[0].reason, "perturbed");
  EXPECT_TRUE(oracle.NeverTwice());
  EXPECT_LE(plan->tests.size(), 30U);
}

TEST(FindGroups, WhatDoesNotGoTogetherGetsGroupsOfItsOwn) {
  // Any two of these three perturb each other.
  Oracle oracle{[](const MetricSet& set) {
                  return set.contains("m0") + set.contains("m5") + set.contains("m9") > 1;
                },
                {}};
  const auto plan = FindGroups(Metrics(12), oracle.Test(), {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->groups.size(), 3U);
  std::size_t placed = 0;
  MetricSet all;
  for (const MetricSet& group : plan->groups) {
    EXPECT_FALSE(oracle.bad(group));
    EXPECT_TRUE(oracle.tested.contains(group)) << "a group must have been tested as a whole";
    placed += group.size();
    all.insert(group.begin(), group.end());
  }
  EXPECT_EQ(placed, 12U);
  EXPECT_EQ(all.size(), 12U);
  EXPECT_THAT(plan->not_placed, IsEmpty());
  EXPECT_TRUE(oracle.NeverTwice());
}

TEST(FindGroups, WhatFailsAloneMayPassInCompany) {
  Oracle oracle{[](const MetricSet& set) { return set.contains("m4") || set == MetricSet{"m1"}; },
                {}};
  const auto plan = FindGroups({"m2", "m3", "m1", "m4"}, oracle.Test(), {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->groups.size(), 1U);
  EXPECT_THAT(plan->groups[0], ElementsAre("m1", "m2", "m3"));
  ASSERT_EQ(plan->not_placed.size(), 1U);
  EXPECT_EQ(plan->not_placed[0].metric, "m4");
}

TEST(FindGroups, TheBudgetIsKeptAndWhatItLeftIsNamed) {
  Oracle oracle{[](const MetricSet& set) { return set.size() > 1; }, {}};
  const auto plan = FindGroups(Metrics(16), oracle.Test(), {.budget = 6});
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->out_of_budget);
  EXPECT_EQ(plan->runs, 6U);
  EXPECT_EQ(plan->not_placed.size(), 16U);
  EXPECT_EQ(
      plan->not_placed[0].reason,
      "it is in a set that failed, and the budget of runs was used up before it was tested alone");
}

TEST(FindGroups, AnErrorEndsIt) {
  const auto plan = FindGroups(
      {"m1"},
      [](const MetricSet&) -> Result<SetAnswer> { return Fail(ErrorKind::kUsage, "no build"); },
      {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message, "no build");
}

}  // namespace
}  // namespace tare::perturb
