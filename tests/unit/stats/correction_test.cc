// correction_test.cc: tests of correction.h.
#include "stats/correction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "simulation.h"

namespace tare::stats {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Benjamini and Hochberg (1995), section 4.1: fifteen tests of a clinical study.
const std::vector<double> kStudy = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};

std::ptrdiff_t Rejections(const std::vector<double>& adjusted) {
  return std::ranges::count_if(adjusted, [](double p) { return p <= 0.05; });
}

TEST(Holm, StepsDownInTheOrderGiven) {
  // 4 * .005, 3 * .01, 2 * .03, then 1 * .04 raised to the previous one.
  EXPECT_THAT(*Holm(std::vector<double>{0.01, 0.04, 0.03, 0.005}),
              ElementsAre(DoubleEq(0.03), DoubleEq(0.06), DoubleEq(0.06), DoubleEq(0.02)));
}

TEST(Holm, RejectsThreeOfThePublishedStudy) { EXPECT_EQ(Rejections(*Holm(kStudy)), 3); }

TEST(Holm, KeepsTheFamilysErrorAtAlpha) {
  // Ten independent tests of true hypotheses: p-values are uniform, so Holm rejects any with
  // probability 1 - (1 - 0.05/10)^10 = 0.0489.
  Generator generator(31);
  constexpr int kTrials = 4000;
  int any = 0;
  for (int i = 0; i < kTrials; ++i) {
    const auto p_values = Sample(generator, 10, [](Generator& g) { return g.Unit(); });
    any += Rejections(*Holm(p_values)) > 0;
  }
  EXPECT_TRUE(IsRate(any, kTrials, 1 - std::pow(1 - 0.005, 10)));
}

TEST(Holm, LeavesOneOrNoTestAlone) {
  EXPECT_THAT(*Holm(std::vector<double>{0.03}), ElementsAre(0.03));
  EXPECT_THAT(*Holm({}), IsEmpty());
}

TEST(Holm, NeverExceedsOne) {
  EXPECT_THAT(*Holm(std::vector<double>{0.9, 0.8, 1}), ElementsAre(1, 1, 1));
}

TEST(Holm, RefusesInvalidProbabilities) {
  for (double p : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(Holm(std::vector<double>{0.5, p})) << p;
  }
}

}  // namespace
}  // namespace tare::stats
