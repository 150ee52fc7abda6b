// machine_compare_tables_test.cc: tests the tables that compare two profiles.
#include "cli/commands/machine/machine_compare_tables.h"

#include <gtest/gtest.h>

#include "tests/unit/machine/profile/example_profile.h"

namespace tare::cli {
namespace {

using machine_profile::ExampleProfile;

TEST(CompareTables, HaveARatioForEachFigureThatBothHave) {
  machine_profile::Profile second = ExampleProfile();
  second.levels[2].load = Scaled(*second.levels[2].load, 2);
  second.levels.erase(second.levels.begin());
  const auto comparison = machine_profile::Compare(ExampleProfile(), second);
  const report::Table table = LevelPairTable(comparison, true);
  bool doubled = false;
  bool alone = false;
  for (const auto& row : table.rows) {
    ASSERT_EQ(row.size(), table.columns.size());
    const auto* ratio = std::get_if<Measured>(&row[4]);
    const bool memory_load = row[0] == report::Cell("memory") && row[1] == report::Cell("load");
    if (memory_load) doubled = ratio != nullptr && AsDouble(*ratio->value) == 2;
    if (row[0] == report::Cell("L1")) alone = ratio == nullptr;
  }
  EXPECT_TRUE(doubled);
  EXPECT_TRUE(alone);
}

TEST(CompareTables, PeopleSeeTheIntervalOfTheRatioAlone) {
  const auto comparison = machine_profile::Compare(ExampleProfile(), ExampleProfile());
  const auto first = [&](bool whole) {
    return std::get<Measured>(RatePairTable(comparison, whole).rows[0][1]);
  };
  EXPECT_TRUE(first(true).low);
  EXPECT_FALSE(first(false).low);
}

TEST(DifferentConditions, NamesOnlyTheRequestedOnes) {
  machine_profile::Profile second = ExampleProfile();
  EXPECT_EQ(DifferentConditions(ExampleProfile(), second), "");
  second.conditions["pages"] = "small";
  second.conditions["core"] = "0";
  EXPECT_EQ(DifferentConditions(ExampleProfile(), second), "pages: huge and small");
}

}  // namespace
}  // namespace tare::cli
