// varied_layouts_test.cc: tests that layouts vary and keep the user's requests.
#include "measure/run/varied_layouts.h"

#include <gtest/gtest.h>

#include <set>

namespace tare::run {
namespace {

TEST(VaryLayout, NoTwoAreTheSame) {
  const auto settings = VaryLayout({}, kMaxLayouts);
  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_EQ(settings->size(), kMaxLayouts);
  std::set<std::uint64_t> stacks;
  std::set<std::uint64_t> mappings;
  std::set<std::size_t> environments;
  for (const Setting& setting : *settings) {
    stacks.insert(setting.layout.stack_bytes);
    mappings.insert(setting.layout.mapping_bytes);
    environments.insert(*setting.environment.bytes);
    EXPECT_EQ(setting.layout.stack_bytes % 16, 0u);
    EXPECT_EQ(*setting.environment.bytes % 16, 0u);
  }
  EXPECT_EQ(stacks.size(), kMaxLayouts);
  EXPECT_EQ(mappings.size(), kMaxLayouts);
  EXPECT_EQ(environments.size(), kMaxLayouts);
}

TEST(VaryLayout, TheFirstMovesNothingButTheEnvironment) {
  const auto settings = VaryLayout({}, 1);
  ASSERT_TRUE(settings);
  EXPECT_FALSE(settings->front().layout.IsRequested());
}

TEST(VaryLayout, KeepsTheRequestedSetting) {
  Setting given;
  given.environment.bytes = 65536;
  given.layout.stack_bytes = 32;
  const auto settings = VaryLayout(given, 3);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->front().layout.stack_bytes, 32u);
  for (const Setting& setting : *settings) EXPECT_EQ(setting.environment.bytes, 65536u);
}

}  // namespace
}  // namespace tare::run
