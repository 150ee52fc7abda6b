// dtw_test.cc: tests of dtw.h.
#include "stats/dtw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "simulation.h"
#include "warping.h"

namespace tare::stats {
namespace {

using ::testing::ElementsAre;

TEST(Dtw, OfShortSignalsIsWhatTheHandGives) {
  // Cells by rows: 0 2 / 1 1 / 3 1: from (0,0) through (1,1), where |2 - 3| = 1, to (2,1).
  const std::vector<double> a = {1, 2, 3};
  const std::vector<double> b = {1, 3};
  EXPECT_EQ(*DtwDistance(a, b), 1);
  const DtwAlignment alignment = *DtwAlign(a, b);
  EXPECT_EQ(alignment.distance, 1);
  EXPECT_THAT(alignment.path, ElementsAre(DtwStep{0, 0}, DtwStep{1, 0}, DtwStep{2, 1}));
}

TEST(Dtw, OfOneSampleMeetsAllOfTheOther) {
  const std::vector<double> one = {2};
  const std::vector<double> other = {1, 2, 5};
  EXPECT_EQ(*DtwDistance(one, other), 4);
  EXPECT_EQ(*DtwDistance(other, one, {.cost = DtwCost::kSquared}), 10);
  EXPECT_THAT(DtwAlign(one, other)->path, ElementsAre(DtwStep{0, 0}, DtwStep{0, 1}, DtwStep{0, 2}));
  EXPECT_EQ(DtwAlign(one, other)->quality.straightness, 1);
  EXPECT_EQ(*DtwDistance(one, one), 0);
}

TEST(Dtw, OfSignalsWithThemselvesIsNothingAndGoesStraight) {
  Generator generator(61);
  for (std::size_t length : {1u, 2u, 33u, 300u, 1000u}) {
    const auto signal = Sample(generator, length, DrawNormal);
    const DtwAlignment alignment = *DtwAlign(signal, signal);
    EXPECT_EQ(alignment.distance, 0);
    ASSERT_EQ(alignment.path.size(), length);
    for (std::size_t i = 0; i < length; ++i) ASSERT_EQ(alignment.path[i], (DtwStep{i, i}));
    EXPECT_EQ(alignment.quality.match, 1);
    EXPECT_EQ(alignment.quality.straightness, 1);
    EXPECT_EQ(alignment.quality.Overall(), 1);
  }
}

TEST(Dtw, GoesStraightThroughConstantSignals) {
  const std::vector<double> low(100, 1.0);
  const std::vector<double> high(100, 3.0);
  const DtwAlignment alignment = *DtwAlign(low, high);
  EXPECT_EQ(alignment.distance, 200);
  EXPECT_EQ(alignment.path.size(), 100u);
  // No better than chance.
  EXPECT_EQ(alignment.quality.match, 0);
}

TEST(Dtw, IsThatOfTheWholeMatrix) {
  Generator generator(62);
  for (int i = 0; i < 400; ++i) {
    const std::size_t longest = i % 20 == 0 ? 400 : i % 4 == 0 ? 120 : 20;
    const std::size_t signals = i % 3 == 0 ? 1 + generator.Below(4) : 1;
    const Recording a = DrawRecording(generator, signals, 1 + generator.Below(longest), i % 2 == 0);
    const Recording b = DrawRecording(generator, signals, 1 + generator.Below(longest), i % 2 == 0);
    DtwOptions options{.cost = i % 5 < 2 ? DtwCost::kSquared : DtwCost::kAbsolute, .band = {}};
    if (i % 7 < 4) {
      const std::size_t rows = a[0].size();
      const std::size_t columns = b[0].size();
      const std::size_t needed = rows < columns ? columns - rows : rows - columns;
      options.band = needed + generator.Below(i % 7 < 2 ? 4 : 100);
    }
    SCOPED_TRACE(testing::Message()
                 << "case " << i << ": " << a[0].size() << " by " << b[0].size());
    const auto views_a = Views(a);
    const auto views_b = Views(b);
    const double expected = DistanceByMatrix(a, b, options);
    ASSERT_EQ(*DtwDistance(Signals(views_a), Signals(views_b), options), expected);
    const DtwAlignment alignment = *DtwAlign(Signals(views_a), Signals(views_b), options);
    ASSERT_EQ(alignment.distance, expected);
    ASSERT_TRUE(IsPath(alignment.path, a, b, options, expected));
    ASSERT_GE(alignment.quality.match, 0);
    ASSERT_LE(alignment.quality.match, 1);
    ASSERT_GE(alignment.quality.straightness, 0);
    ASSERT_LE(alignment.quality.straightness, 1);
  }
}

TEST(Dtw, IsThatOfTheWholeMatrixForLongSignals) {
  // Long enough for a path over several levels of tiles, and for odd remainders of strips and
  // panels.
  Generator generator(63);
  for (auto [rows, columns] : {std::pair{3301u, 217u}, {5u, 9001u}, {1301u, 1407u}}) {
    const Recording a = DrawRecording(generator, 1, rows, false);
    const Recording b = DrawRecording(generator, 1, columns, false);
    const double expected = DistanceByMatrix(a, b, {});
    EXPECT_EQ(*DtwDistance(a[0], b[0]), expected);
    const DtwAlignment alignment = *DtwAlign(a[0], b[0]);
    EXPECT_EQ(alignment.distance, expected);
    EXPECT_TRUE(IsPath(alignment.path, a, b, {}, expected));
  }
}

TEST(Dtw, WithinABandGoesAlongIt) {
  // 6000 samples in a band of 40: a path of several levels.
  Generator generator(64);
  const Recording a = DrawRecording(generator, 1, 6000, true);
  const Recording b = DrawRecording(generator, 1, 6030, true);
  const DtwOptions options{.band = 40};
  const DtwAlignment alignment = *DtwAlign(a[0], b[0], options);
  EXPECT_EQ(alignment.distance, *DtwDistance(a[0], b[0], options));
  EXPECT_TRUE(IsPath(alignment.path, a, b, options, alignment.distance));
  EXPECT_GT(alignment.distance, *DtwDistance(a[0], b[0]));
}

TEST(Dtw, WithinABandOfNothingMeetsLikeWithLike) {
  const std::vector<double> a = {1, 2, 3, 4};
  const std::vector<double> b = {2, 2, 2, 2};
  EXPECT_EQ(*DtwDistance(a, b, {.band = 0}), 1 + 0 + 1 + 2);
  EXPECT_EQ(DtwAlign(a, b, {.band = 0})->path.size(), 4u);
}

TEST(Dtw, OfAWiderBandIsNeverLarger) {
  Generator generator(65);
  const auto a = Sample(generator, 200, DrawNormal);
  const auto b = Sample(generator, 190, DrawNormal);
  double before = std::numeric_limits<double>::infinity();
  for (std::size_t band : {10u, 11u, 20u, 50u, 199u, 1000u}) {
    const double distance = *DtwDistance(a, b, {.band = band});
    EXPECT_LE(distance, before);
    before = distance;
  }
  EXPECT_EQ(before, *DtwDistance(a, b));
}

TEST(Dtw, SeesThroughAChangeOfSpeed) {
  // The same tone at half the speed and then at double: a path far from the diagonal, but a match.
  std::vector<double> steady;
  std::vector<double> warped;
  for (int i = 0; i < 600; ++i) {
    const double place = i / 600.0;
    steady.push_back(std::sin(12 * place));
    warped.push_back(std::sin(12 * place * place));
  }
  const DtwQuality quality = DtwAlign(steady, warped)->quality;
  EXPECT_GT(quality.match, 0.98);
  EXPECT_LT(quality.straightness, 0.8);
}

TEST(DtwQuality, DistinguishesSimilarFromDissimilarSignals) {
  // Unrelated noise, smooth or not, stays below 0.75; a signal with noise of a tenth of its
  // amplitude is above 0.9.
  Generator generator(66);
  for (double memory : {0.0, 0.5, 0.9}) {
    for (int i = 0; i < 5; ++i) {
      double state = 0;
      const auto draw = [&](Generator& g) { return state = memory * state + DrawNormal(g); };
      const auto a = Sample(generator, 400, draw);
      const auto b = Sample(generator, 400, draw);
      EXPECT_LT(DtwAlign(a, b)->quality.Overall(), 0.75);
    }
  }
  std::vector<double> clean;
  for (int i = 0; i < 400; ++i) clean.push_back(std::sin(i / 20.0));
  auto noisy = clean;
  for (double& sample : noisy) sample += 0.1 * DrawNormal(generator);
  EXPECT_GT(DtwAlign(clean, noisy)->quality.Overall(), 0.9);
}

TEST(Dtw, RefusesWhatCannotBeAligned) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> signal = {1, 2, 3};
  const std::vector<double> longer(10, 1.0);
  EXPECT_EQ(DtwDistance({}, signal).error().message,
            "warping, first signal: needs at least 1 sample, got 0");
  EXPECT_EQ(DtwAlign(signal, std::vector<double>{}).error().message,
            "warping, second signal: needs at least 1 sample, got 0");
  EXPECT_FALSE(DtwDistance(signal, std::vector<double>{1, std::nan("")}));
  EXPECT_FALSE(DtwAlign(std::vector<double>{infinity}, signal));
  EXPECT_EQ(DtwDistance(signal, longer, {.band = 6}).error().message,
            "warping: signals of 3 and 10 samples cannot be aligned within a band of 6; use at "
            "least 7");
  EXPECT_TRUE(DtwDistance(signal, longer, {.band = 7}));
  EXPECT_TRUE(DtwDistance(signal, longer, {.band = std::numeric_limits<std::size_t>::max()}));
  EXPECT_FALSE(DtwAlign(longer, signal, {.band = 0}));
}

TEST(Dtw, RefusesSignalsThatDoNotBelongTogether) {
  const Recording two = {{1, 2}, {1, 2}};
  const Recording one = {{1, 2}};
  const Recording uneven = {{1, 2}, {1, 2, 3}};
  EXPECT_FALSE(DtwDistance(Signals(Views(two)), Signals(Views(one))));
  EXPECT_FALSE(DtwDistance(Signals{}, Signals{}));
  EXPECT_EQ(DtwDistance(Signals(Views(two)), Signals(Views(uneven))).error().message,
            "warping: second signal 1 has 2 samples and second signal 2 has 3; signals recorded "
            "together must have equal lengths");
}

TEST(Dtw, RefusesSumsThatOverflowAndTakesTheRest) {
  const std::vector<double> high(600, 1e308);
  const std::vector<double> low(500, -1e308);
  EXPECT_FALSE(DtwDistance(high, low));
  EXPECT_FALSE(DtwAlign(high, low));
  EXPECT_FALSE(DtwDistance(high, std::vector<double>{0}, {.cost = DtwCost::kSquared}));
  EXPECT_EQ(*DtwDistance(high, high), 0);
  EXPECT_EQ(*DtwDistance(std::vector<double>{5e-324}, std::vector<double>{0}), 5e-324);
}

}  // namespace
}  // namespace tare::stats
