// hook_cost_test.cc: tests the table of hook costs against the installed compilers.
#include "analysis/proxy/hook_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "hook_shapes.h"
#include "tests/programs/toolchain.h"

namespace tare::proxy {
namespace {

struct Compiled {
  std::string command;
  Compiler compiler;
};

using Costs = std::array<CostRange, kCallKinds>;

double PerCall(const Shapes::Cost& cost, std::int64_t Amounts::* metric) {
  return static_cast<double>(cost.amounts.*metric) / cost.calls;
}

CostRange RangeOver(const std::vector<double>& values) {
  CostRange range{std::numeric_limits<double>::max(), 0, 0};
  for (const double value : values) {
    range.low = std::min(range.low, value);
    range.usual += value / static_cast<double>(values.size());
    range.high = std::max(range.high, value);
  }
  return range;
}

// Costs by kind of call. That of a tail call is what remains after subtracting the mean of plain
// calls.
Costs CostsOver(const std::vector<Shapes::Cost>& shapes, std::int64_t Amounts::* metric) {
  std::array<std::vector<double>, kCallKinds> values;
  for (const auto& shape : shapes)
    values[static_cast<std::size_t>(shape.kind)].push_back(PerCall(shape, metric));
  const double plain = RangeOver(values[0]).usual;
  for (double& value : values[static_cast<std::size_t>(CallKind::kTailCall)])
    value = std::max(0.0, value - plain);
  Costs costs;
  std::ranges::transform(values, costs.begin(), RangeOver);
  return costs;
}

class HookCosts : public ::testing::TestWithParam<std::tuple<decode::Architecture, Compiled>> {};

// Other compiler versions may save a different number of registers.
TEST_P(HookCosts, ShapesCostWhatTheTableSays) {
  const auto& [architecture, compiled] = GetParam();
  const std::string command = CommandFor(architecture, compiled.command);
  const auto shapes = Shapes::Build(command);
  if (!shapes) GTEST_SKIP() << command << " does not compile here";
  ASSERT_EQ(shapes->architecture(), architecture);
  const auto costs = shapes->Costs();
  ASSERT_EQ(costs.size(), 34U);
  const Compiler compiler = compiled.compiler;
  const auto expect_near = [&](std::int64_t Amounts::* metric, CostRange HookCost::* column,
                               double slack) {
    const Costs found = CostsOver(costs, metric);
    for (std::size_t kind = 0; kind < kCallKinds; ++kind) {
      const CostRange& table =
          CostOf(shapes->architecture(), compiler, static_cast<CallKind>(kind)).*column;
      EXPECT_NEAR(found[kind].low, table.low, slack) << kind;
      EXPECT_NEAR(found[kind].usual, table.usual, slack) << kind;
      EXPECT_NEAR(found[kind].high, table.high, slack) << kind;
    }
  };
  expect_near(&Amounts::instructions, &HookCost::instructions, 3);
  expect_near(&Amounts::loads, &HookCost::loads, 1);
  expect_near(&Amounts::stores, &HookCost::stores, 1);
}

INSTANTIATE_TEST_SUITE_P(Of, HookCosts,
                         ::testing::Combine(::testing::ValuesIn(kArchitectures),
                                            ::testing::Values(Compiled{"gcc", Compiler::kGcc},
                                                              Compiled{"clang-19",
                                                                       Compiler::kClang})));

TEST(HookCost, RangesAreInOrderAndStoresAreFewerThanInstructions) {
  for (const auto architecture : {decode::Architecture::kX86_64, decode::Architecture::kAArch64}) {
    for (const auto compiler : {Compiler::kGcc, Compiler::kClang}) {
      for (std::size_t kind = 0; kind < kCallKinds; ++kind) {
        const HookCost& cost = CostOf(architecture, compiler, static_cast<CallKind>(kind));
        for (const auto* range : {&cost.instructions, &cost.loads, &cost.stores}) {
          EXPECT_LE(range->low, range->usual);
          EXPECT_LE(range->usual, range->high);
        }
        EXPECT_LT(cost.stores.high, cost.instructions.high);
      }
    }
  }
}

class CompilerOfFile : public ::testing::TestWithParam<std::tuple<decode::Architecture, Compiled>> {
};

TEST_P(CompilerOfFile, IsReadFromIt) {
  const auto& [architecture, compiled] = GetParam();
  const BuildDirectory directory;
  directory.Write("m.c", "int main(void) { return 0; }");
  const std::string command = CommandFor(architecture, compiled.command + " m.c -o m");
  if (!directory.Runs(command)) GTEST_SKIP() << "this does not work here: " << command;
  const auto image = elf::OpenElf(directory / "m");
  ASSERT_TRUE(image);
  EXPECT_EQ(image->architecture(), architecture);
  EXPECT_EQ(CompilerOf(*image), compiled.compiler);
}

INSTANTIATE_TEST_SUITE_P(Of, CompilerOfFile,
                         ::testing::Combine(::testing::ValuesIn(kArchitectures),
                                            ::testing::Values(Compiled{"gcc", Compiler::kGcc},
                                                              Compiled{"clang-19",
                                                                       Compiler::kClang})));

}  // namespace
}  // namespace tare::proxy
