// change_points_test.cc: known steps in noise, and noise alone.
#include "stats/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tare::stats {
namespace {

std::vector<double> Noise(std::size_t samples, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> series(samples);
  for (double& x : series) x = normal(generator);
  return series;
}

std::vector<double> Steps(std::initializer_list<std::pair<std::size_t, double>> parts,
                          unsigned seed) {
  std::vector<double> series;
  for (const auto& [samples, mean] : parts) {
    for (std::size_t i = 0; i < samples; ++i) series.push_back(mean);
  }
  const auto noise = Noise(series.size(), seed);
  for (std::size_t i = 0; i < series.size(); ++i) series[i] += noise[i];
  return series;
}

TEST(ChangePoints, LargeStepsAreFoundWhereTheyAre) {
  const std::vector<std::vector<double>> series = {Steps({{60, 0}, {40, 20}, {100, 5}}, 1)};
  const auto points = FindChangePoints(series);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].at, 60u);
  EXPECT_EQ(points[1].at, 100u);
  EXPECT_EQ(points[0].low, 60u);
  EXPECT_EQ(points[0].high, 60u);
}

TEST(ChangePoints, NoiseAloneSeldomGivesAny) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<std::vector<double>> series = {Noise(200, seed)};
    if (!FindChangePoints(series).empty()) ++wrong;
  }
  // The penalty 4 log(200) = 21 allows a handful.
  EXPECT_LE(wrong, 6);
}

TEST(ChangePoints, TheIntervalContainsTheChangeAsOftenAsStated) {
  int found = 0;
  int held = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::vector<std::vector<double>> series = {Steps({{50, 0}, {50, 1.5}}, seed)};
    const auto points = FindChangePoints(series);
    if (points.size() != 1) continue;
    ++found;
    if (points[0].low <= 50 && 50 <= points[0].high) ++held;
  }
  ASSERT_GT(found, 250);
  // 95 % and three standard deviations of a share of 300.
  EXPECT_GE(held, 0.91 * found);
}

TEST(ChangePoints, SmallStepsInSeveralSeriesAddUp) {
  std::vector<std::vector<double>> series = {Steps({{100, 0}, {100, 0.2}}, 3)};
  EXPECT_TRUE(FindChangePoints(series).empty());
  for (unsigned seed = 4; seed < 12; ++seed) {
    series.push_back(Steps({{100, 0}, {100, 0.8}}, seed));
  }
  const auto points = FindChangePoints(series);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(static_cast<double>(points[0].at), 100, 5);
}

TEST(ChangePoints, StepsWithoutNoiseAreFound) {
  std::vector<double> steps(40, 7);
  for (std::size_t i = 20; i < 40; ++i) steps[i] = 9;
  const std::vector<std::vector<double>> series = {steps};
  const auto points = FindChangePoints(series);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].at, 20u);
}

TEST(ChangePoints, ConstantShortAndMissingSamplesGiveNothing) {
  const std::vector<std::vector<double>> constant = {std::vector<double>(100, 3.0)};
  EXPECT_TRUE(FindChangePoints(constant).empty());
  const std::vector<std::vector<double>> brief = {{1, 2, 3}};
  EXPECT_TRUE(FindChangePoints(brief).empty());
  EXPECT_TRUE(FindChangePoints({}).empty());
  const std::vector<std::vector<double>> missing = {
      std::vector<double>(100, std::numeric_limits<double>::quiet_NaN())};
  EXPECT_TRUE(FindChangePoints(missing).empty());
}

TEST(ChangePoints, AFilterRemovesBurstsAndKeepsSteps) {
  std::vector<double> steps = Steps({{60, 0}, {60, 10}}, 5);
  steps[20] = 200;
  steps[90] = steps[91] = -300;
  const std::vector<std::vector<double>> series = {steps};
  EXPECT_GT(FindChangePoints(series).size(), 1u);
  ChangeOptions options;
  options.filter = 5;
  const auto points = FindChangePoints(series, options);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].at, 60u);
}

TEST(ChangePoints, FilteredNoiseSeldomGivesAny) {
  ChangeOptions options;
  options.filter = 5;
  options.min_length = 6;
  int wrong = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<std::vector<double>> series = {Noise(200, seed)};
    if (!FindChangePoints(series, options).empty()) ++wrong;
  }
  EXPECT_LE(wrong, 6);
}

TEST(ChangePoints, GapsAreIgnored) {
  std::vector<double> steps = Steps({{60, 0}, {60, 30}}, 9);
  for (std::size_t i = 0; i < steps.size(); i += 3)
    steps[i] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> series = {steps};
  const auto points = FindChangePoints(series);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(static_cast<double>(points[0].at), 60, 1);
}

}  // namespace
}  // namespace tare::stats
