// frequent_functions_test.cc: tests which functions are called too often to be instrumented.
#include "compiler/metrics/frequent_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::metrics {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Profile {
 public:
  Profile() {
    document_.blocks.push_back(
        report::Table{"blocks",
                      "",
                      {{"object"}, {"function"}, {"offset"}, {"instructions"}, {"executions"}},
                      {}});
  }
  Profile& Block(std::string function, std::string offset, std::int64_t instructions,
                 std::int64_t executions) {
    std::get<report::Table>(document_.blocks[0])
        .rows.push_back({std::string("program"), std::move(function), std::move(offset),
                         Exact(instructions), Exact(executions)});
    return *this;
  }
  std::vector<std::string> TooMany(const TooOften& limits) const {
    return FunctionsCalledTooOften(document_, limits).value();
  }

 private:
  report::Document document_;
};

TEST(Profile, SmallFunctionsThatAreCalledOftenAreLeftOut) {
  Profile profile;
  profile.Block("small", "0x100", 5, 2000).Block("large", "0x200", 150, 2000);
  EXPECT_THAT(profile.TooMany({}), ElementsAre("small"));
}

TEST(Profile, WhatALoopRunsBelongsToTheCall) {
  // 1,000 calls of 4 + 100 x 2 instructions each.
  Profile profile;
  profile.Block("f", "0x100", 4, 1000).Block("f", "0x110", 2, 100'000);
  EXPECT_THAT(profile.TooMany({}), IsEmpty());
  EXPECT_THAT(profile.TooMany({.max_calls = {}, .min_per_call = 205}), ElementsAre("f"));
  EXPECT_THAT(profile.TooMany({.max_calls = {}, .min_per_call = 204}), IsEmpty());
}

TEST(Profile, FewCallsDoNotMatter) {
  Profile profile;
  profile.Block("rare", "0x100", 1, 999);
  EXPECT_THAT(profile.TooMany({}), IsEmpty());
}

TEST(Profile, TheFirstBlockGivesTheCallsWhateverItsRow) {
  Profile profile;
  profile.Block("f", "0x110", 1, 5000).Block("f", "0x100", 1, 10);
  EXPECT_THAT(profile.TooMany({}), IsEmpty());
}

TEST(Profile, ALimitOfCallsHoldsForLargeFunctionsToo) {
  Profile profile;
  profile.Block("large", "0x100", 100'000, 50).Block("larger", "0x900", 100'000, 60);
  EXPECT_THAT(profile.TooMany({.max_calls = 50}), ElementsAre("larger"));
  EXPECT_THAT(profile.TooMany({.max_calls = 49}), ElementsAre("larger", "large"));
}

TEST(Profile, ADocumentWithoutBlocksIsRefused) {
  const auto names = FunctionsCalledTooOften(report::Document{}, {});
  ASSERT_FALSE(names);
  EXPECT_THAT(names.error().message, HasSubstr("--per block"));
}

TEST(Profile, NoMoreNamesThanFit) {
  Profile profile;
  for (int i = 0; i < 1500; ++i) {
    profile.Block("f" + std::to_string(i), "0x100", 1, 1000 + i);
  }
  const auto names = profile.TooMany({});
  ASSERT_EQ(names.size(), kMaxTooOften);
  EXPECT_EQ(names[0], "f1499");
}

}  // namespace
}  // namespace tare::metrics
