// operation_test.cc: tests that arithmetic stays among normal numbers, and tests branches.
#include "machine/microbenchmark/operation.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tare::microbenchmark {
namespace {

TEST(Operations, HaveNamesOfTheirOwn) {
  std::set<std::pair<std::string_view, Form>> names;
  std::set<std::string_view> symbols;
  for (const Operation& operation : Operations()) {
    EXPECT_TRUE(names.emplace(operation.name, operation.form).second) << operation.name;
    EXPECT_TRUE(symbols.insert(operation.symbol).second) << operation.symbol;
  }
  for (const char* name : {"integer add", "integer multiply", "fp64 add", "fp64 multiply",
                           "fp64 add vector", "fp64 multiply vector", "integer add vector"}) {
    EXPECT_TRUE(names.contains({name, Form::kThroughput})) << name;
    EXPECT_TRUE(names.contains({name, Form::kLatency})) << name;
  }
  for (const char* name : {"integer divide", "fp64 divide", "fp64 square root"})
    EXPECT_TRUE(names.contains({name, Form::kLatency})) << name;
}

TEST(Operations, AreCountedInWholeInstructions) {
  for (const Operation& operation : Operations()) {
    EXPECT_EQ(operation.per_iteration % operation.instructions, 0U) << operation.name;
    if (operation.form == Form::kLatency) {
      EXPECT_EQ(operation.per_iteration, operation.instructions) << operation.name;
    }
  }
}

TEST(Operations, MakeNothingInfiniteDenormalOrNoNumber) {
  for (const Operation& operation : Operations()) {
    std::feclearexcept(FE_ALL_EXCEPT);
    operation.run(20000);
    EXPECT_EQ(std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW), 0)
        << operation.name;
  }
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST(RunBranches, CountsTheOnesOfThePattern) {
  const std::vector<std::uint8_t> pattern = {1, 0, 0, 1, 1, 0, 1, 0};
  EXPECT_EQ(RunBranches(pattern, 8), 4U);
  EXPECT_EQ(RunBranches(pattern, 1), 1U);
  EXPECT_EQ(RunBranches(pattern, 3), 1U);
  EXPECT_EQ(RunBranches(pattern, 8 * 1000 + 4), 4002U);
  EXPECT_EQ(RunBranches(std::vector<std::uint8_t>{0}, 77), 0U);
  EXPECT_EQ(RunBranches(std::vector<std::uint8_t>{1}, 77), 77U);
}

}  // namespace
}  // namespace tare::microbenchmark
