// dtw_kernels_test.cc: tests of dtw_kernels.h: every instruction set gives the same result.
#include "stats/dtw_kernels.h"

#include <gtest/gtest.h>

#include <string>

#include "stats/dtw_path.h"
#include "warping.h"

namespace tare::stats {
namespace {

class StripKernelsOf : public testing::TestWithParam<InstructionSet> {};

TEST_P(StripKernelsOf, GiveTheMatrixsDistanceAndPath) {
  const auto kernels = StripKernels(GetParam());
  if (kernels.empty()) GTEST_SKIP() << "this processor lacks these instructions";
  Generator generator(71);
  for (int i = 0; i < 150; ++i) {
    const std::size_t longest = i % 10 == 0 ? 500 : 90;
    const std::size_t signals = i % 3 == 0 ? 2 : 1;
    const Recording a = DrawRecording(generator, signals, 1 + generator.Below(longest), i % 2 == 0);
    const Recording b = DrawRecording(generator, signals, 1 + generator.Below(longest), i % 2 == 0);
    const std::size_t rows = a[0].size();
    const std::size_t columns = b[0].size();
    const std::size_t needed = rows < columns ? columns - rows : rows - columns;
    const std::size_t band = needed + generator.Below(i % 4 == 0 ? 6 : 400);
    const DtwOptions options{.cost = i % 5 < 2 ? DtwCost::kSquared : DtwCost::kAbsolute,
                             .band = band};
    WarpProblem problem{.a = {},
                        .b = {},
                        .rows = rows,
                        .columns = columns,
                        .signals = signals,
                        .cost = options.cost,
                        .band = band,
                        .kernels = kernels};
    for (std::size_t s = 0; s < signals; ++s) {
      problem.a.insert(problem.a.end(), a[s].begin(), a[s].end());
      problem.b.insert(problem.b.end(), b[s].begin(), b[s].end());
    }
    const double expected = DistanceByMatrix(a, b, options);
    ASSERT_EQ(WarpDistance(problem), expected) << rows << " by " << columns << " in " << band;
    const WarpPath path = FindWarpPath(problem);
    ASSERT_EQ(path.distance, expected);
    ASSERT_TRUE(IsPath(path.steps, a, b, options, expected));
  }
}

INSTANTIATE_TEST_SUITE_P(All, StripKernelsOf,
                         testing::Values(InstructionSet::kBaseline, InstructionSet::kAvx2,
                                         InstructionSet::kAvx512),
                         [](const auto& of) {
                           return std::string(of.param == InstructionSet::kBaseline ? "Baseline"
                                              : of.param == InstructionSet::kAvx2   ? "Avx2"
                                                                                    : "Avx512");
                         });

TEST(StripKernels, EndWithASingleRowSoThatAnyNumberOfRowsCanBeMade) {
  for (const auto& kernels : {StripKernels(InstructionSet::kBaseline), BestStripKernels()}) {
    EXPECT_EQ(kernels.back().Rows(), 1u);
    for (std::size_t i = 1; i < kernels.size(); ++i) {
      EXPECT_LE(kernels[i].Rows(), kernels[i - 1].Rows());
    }
  }
}

TEST(StripKernels, StoreEveryCellInAPlaceOfItsOwn) {
  for (const StripKernel& kernel : BestStripKernels()) {
    constexpr std::size_t kColumns = 9;
    std::vector<bool> taken(kernel.Steps(kColumns) * kernel.Rows());
    for (std::size_t row = 0; row < kernel.Rows(); ++row) {
      EXPECT_LE(kernel.Lag(row), kStripMargin);
      for (std::size_t column = 0; column < kColumns; ++column) {
        const std::size_t place = kernel.StoredAt(row, column);
        ASSERT_LT(place, taken.size());
        ASSERT_FALSE(taken[place]);
        taken[place] = true;
      }
    }
  }
}

}  // namespace
}  // namespace tare::stats
