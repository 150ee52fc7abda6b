// pmac_test.cc: tests equation 1 on blocks whose rates are round numbers.
#include "predict/convolve/pmac.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/predict/convolve/example_signature.h"

namespace tare::convolve {
namespace {

using signature::Block;
using signature::Grid;
using testing::HasSubstr;

// A block in the first cache loads 2e9 words per second; one that misses always takes 8 ns a word.
TEST(Pmac, AveragesRatesArithmeticallyAsPrinted) {
  const Grid grid;
  const auto signature =
      SignatureOf({MissBlock(grid, 1000, false), ArithmeticBlock(grid, 1000, 0)});
  const auto result = Pmac(signature, ExampleMachine());
  ASSERT_TRUE(result.has_value()) << result.error().message;
  const double near = 2e9;
  const double far = 1 / 8e-9;
  EXPECT_NEAR(result->metasim, (near + far) / 2, near * 0.01);
  EXPECT_NEAR(result->harmonic, 2 / (1 / near + 1 / far), far * 0.02);
  EXPECT_NEAR(result->seconds, 2000 / result->metasim, 1e-12);
  EXPECT_NEAR(result->harmonic_seconds, 1000 * (8e-9 + 0.5e-9), 1e-7);
  ASSERT_EQ(result->blocks.size(), 2U);
  EXPECT_DOUBLE_EQ(result->blocks[0].share, 0.5);
}

TEST(Pmac, PlacesBlocksWhereTheCurveHasTheirHitRates) {
  const Grid grid;
  const auto profile = ExampleMachine();
  const auto result =
      Pmac(SignatureOf({MissBlock(grid, 1000, false), ArithmeticBlock(grid, 10, 0)}), profile);
  ASSERT_TRUE(result.has_value());
  EXPECT_GT(result->blocks[0].working_set, 1 << 20);
  EXPECT_LE(result->blocks[1].working_set, 32 << 10);
}

TEST(Pmac, NamesTheCurveThatAMachineLacks) {
  auto profile = ExampleMachine();
  profile.levels.back().load.reset();
  const auto result = Pmac(SignatureOf({StreamBlock(Grid(), 1000)}), profile);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(result.error().message, HasSubstr("load stride 1, 8 B"));
}

}  // namespace
}  // namespace tare::convolve
