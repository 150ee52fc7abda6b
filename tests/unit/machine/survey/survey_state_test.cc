// survey_state_test.cc: tests reading back the state of an interrupted survey.
#include "machine/survey/survey_state.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace tare::survey {
namespace {

using machine_profile::Access;
using machine_profile::Pattern;

Work SomeWork() {
  Work work;
  work.curves.push_back(
      {{Access::kLoad, Pattern::kStrided, 4, 16}, {{1024, {{1e9, 1.5e9}}}, {4096, {{}}}}, 1});
  work.named["fp64 add \"scalar\""] = {{3e9, 3.125e9}};
  Found found;
  found.levels = {{.name = "L1", .bytes = 65536, .line_bytes = 64, .ways = 4},
                  {.name = "memory", .bytes = std::uint64_t{1} << 34}};
  found.discovered.push_back({"line size", "B", Unbounded(64), "", 64.0});
  work.found = found;
  return work;
}

TEST(Work, ReadsBackWhatWasWritten) {
  const Work work = SomeWork();
  const auto read = ParseWork(FormatWork(work, "this; quick"), "this; quick");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_TRUE(read->has_value());
  EXPECT_EQ((*read)->curves, work.curves);
  EXPECT_EQ((*read)->named, work.named);
  ASSERT_TRUE((*read)->found.has_value());
  EXPECT_EQ((*read)->found->levels, work.found->levels);
  EXPECT_EQ((*read)->found->discovered, work.found->discovered);
}

TEST(Work, OfOtherSettingsIsNotTakenUp) {
  const auto read = ParseWork(FormatWork(SomeWork(), "this; quick"), "this; whole");
  ASSERT_TRUE(read.has_value());
  EXPECT_FALSE(read->has_value());
}

TEST(Work, RefusesOtherVersionsAndDamage) {
  std::string text = FormatWork(SomeWork(), "s");
  EXPECT_FALSE(ParseWork(text.substr(0, text.size() / 2), "s").has_value());
  const auto at = text.find("\"format\": 1");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 11, "\"format\": 9");
  const auto read = ParseWork(text, "s");
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("format 9"), std::string::npos);
  EXPECT_FALSE(ParseWork("[]", "s").has_value());
  EXPECT_FALSE(ParseWork("{}", "s").has_value());
}

TEST(Work, RefusesSizesThatDoNotRise) {
  Work work = SomeWork();
  std::swap(work.curves[0].points[0], work.curves[0].points[1]);
  EXPECT_FALSE(ParseWork(FormatWork(work, "s"), "s").has_value());
}

TEST(Work, WithoutAFileThereIsNone) {
  const auto read = ReadWork("/nonexistent/work", "s");
  ASSERT_TRUE(read.has_value());
  EXPECT_FALSE(read->has_value());
}

}  // namespace
}  // namespace tare::survey
