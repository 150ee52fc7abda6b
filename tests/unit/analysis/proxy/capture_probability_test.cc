// capture_probability_test.cc: tests probabilities against the study, against cases drawn from a
// known distribution, and their check on programs left out.
#include "analysis/proxy/capture_probability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/csv.h"
#include "stats/random.h"

namespace tare::proxy {
namespace {

constexpr double kConfidence = 0.95;

std::size_t IndexOf(std::string_view metric) {
  const auto names = CaptureMetrics();
  return static_cast<std::size_t>(std::ranges::find(names, metric) - names.begin());
}

const CaptureModel& Shipped() {
  static const CaptureModel model = [] {
    auto fitted = CaptureModel::Fit(CaptureCases());
    EXPECT_TRUE(fitted) << fitted.error().message;
    return *std::move(fitted);
  }();
  return model;
}

Prediction Predicting(double instructions, double loads, double stores) {
  Prediction prediction;
  prediction.metrics = {{Predicted::kInstructions, 1000, Unbounded(instructions)},
                        {Predicted::kLoads, 1000, Unbounded(loads)},
                        {Predicted::kStores, 1000, Unbounded(stores)}};
  return prediction;
}

TEST(CaptureModel, LoadsAndStoresHavePredictionsOfTheirOwn) {
  const Prediction prediction = Predicting(2, 3, 4);
  EXPECT_EQ(PredictedFor(IndexOf("instructions"), prediction), 2);
  EXPECT_EQ(PredictedFor(IndexOf("loads"), prediction), 3);
  EXPECT_EQ(PredictedFor(IndexOf("stores"), prediction), 4);
  EXPECT_EQ(PredictedFor(IndexOf("l1i-misses"), prediction), 2);
  EXPECT_EQ(PredictedFor(IndexOf("loads"), {}), std::nullopt);
}

TEST(CaptureModel, FewAddedInstructionsAreLikelyToStayWithinTheToleranceAndManyAreNot) {
  const std::size_t instructions = IndexOf("instructions");
  EXPECT_GT(Shipped().ChanceOf(instructions, 1.04, 0.1, kConfidence).Value(), 0.9);
  EXPECT_LT(Shipped().ChanceOf(instructions, 1.3, 0.1, kConfidence).Value(), 0.05);
  EXPECT_GT(Shipped().ChanceOf(instructions, 1.3, 0.5, kConfidence).Value(), 0.9);
}

// Level 2 data misses stayed within 10 % in all cases, instruction misses hardly ever.
TEST(CaptureModel, MetricsDifferInWhatTheyStand) {
  const Measured data = Shipped().ChanceOf(IndexOf("l2-data-misses"), 3, 0.1, kConfidence);
  const Measured code = Shipped().ChanceOf(IndexOf("l1i-misses"), 3, 0.1, kConfidence);
  EXPECT_GT(data.Low(), code.High());
  EXPECT_EQ(Shipped().Captured(IndexOf("l2-data-misses"), 0.1),
            Shipped().Cases(IndexOf("l2-data-misses")));
}

TEST(CaptureModel, WhatNoCaseCoversIsDoubtful) {
  const std::size_t loads = IndexOf("loads");
  EXPECT_EQ(Shipped().ChanceOf(loads, 1.5, 0.1, kConfidence).verdict, Verdict::kValid);
  EXPECT_EQ(Shipped().ChanceOf(loads, 30, 0.1, kConfidence).verdict, Verdict::kDoubtful);
  EXPECT_EQ(Shipped().ChanceOf(loads, 1.0001, 0.1, kConfidence).verdict, Verdict::kDoubtful);
  EXPECT_EQ(Shipped().ChanceOf(loads, 1.5, 0.002, kConfidence).verdict, Verdict::kDoubtful);
}

TEST(CaptureModel, ProbabilitiesOfTheStudyAreCalibratedForProgramsLeftOut) {
  const auto bins = Reliability(Shipped().LeftOut(), kConfidence);
  ASSERT_EQ(bins.size(), 10u);
  for (const ReliabilityBin& bin : bins) {
    EXPECT_NEAR(bin.observed.Value(), bin.predicted, 0.1) << bin.low;
    EXPECT_TRUE(bin.observed.Contains(bin.predicted)) << bin.low << ": " << bin.predicted;
  }
  const BrierScores scores = BrierOf(Shipped().LeftOut());
  EXPECT_LT(scores.predicted, 0.85 * scores.usual);
}

// Ratios whose distance from 1 is the predicted one times a log-logistic factor: the model's own
// distribution, with the scale 1/3.
TEST(CaptureModel, FindsAKnownDistributionAgain) {
  constexpr double kShape = 3;
  stats::Generator random(7);
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back(std::to_string(i));
  std::vector<CaptureCase> cases;
  for (const std::string& name : names) {
    const double change = std::exp(-3 + 4 * random.Unit());
    const double u = random.Unit();
    const double factor = std::pow(u / (1 - u), 1 / kShape);
    CaptureCase one{name, decode::Architecture::kX86_64, Compiler::kGcc, {}, {}};
    one.predicted.fill(1 + change);
    one.measured[0] = 1 + change * factor;
    cases.push_back(one);
  }
  const auto model = CaptureModel::Fit(cases);
  ASSERT_TRUE(model) << model.error().message;
  int inside = 0;
  int all = 0;
  for (const double ratio : {1.1, 1.3, 1.6}) {
    for (const double tolerance : {0.1, 0.2, 0.5}) {
      const double odds = std::pow(tolerance / (ratio - 1), kShape);
      const Measured chance = model->ChanceOf(0, ratio, tolerance, kConfidence);
      inside += chance.Contains(odds / (1 + odds)) ? 1 : 0;
      ++all;
      EXPECT_NEAR(chance.Value(), odds / (1 + odds), 0.15) << ratio << " " << tolerance;
    }
  }
  EXPECT_GE(inside, all - 2);
  // No case has another metric.
  EXPECT_EQ(model->Cases(1), 0u);
  EXPECT_FALSE(model->ChanceOf(1, 1.3, 0.1, kConfidence).value);
}

LeftOutChance Outcome(std::string_view program, double chance, bool captured) {
  LeftOutChance one;
  one.program = program;
  one.chance = chance;
  one.usual = 0.5;
  one.captured = captured;
  return one;
}

TEST(Reliability, SharesOfEachBinAreThoseOfItsOutcomes) {
  std::vector<LeftOutChance> chances = {Outcome("a", 0.32, true), Outcome("a", 0.38, true),
                                        Outcome("a", 1.0, true)};
  for (const char* program : {"b", "c", "d", "e"}) {
    chances.push_back(Outcome(program, 0.34, true));
    chances.push_back(Outcome(program, 0.36, false));
  }
  const auto bins = Reliability(chances, kConfidence);
  ASSERT_EQ(bins.size(), 2u);
  EXPECT_NEAR(bins[0].predicted, 0.35, 1e-12);
  EXPECT_EQ(bins[0].programs, 5u);
  EXPECT_NEAR(bins[0].observed.Value(), 0.6, 1e-12);
  // Residuals of the programs: 2 - 1.2 and four of 1 - 1.2; Student's quantile for 4 degrees is
  // 2.7764.
  const double error = std::sqrt(5.0 / 4 * (0.64 + 4 * 0.04)) / 10;
  EXPECT_NEAR(bins[0].observed.High(), 0.6 + 2.7764 * error, 1e-3);
  EXPECT_EQ(bins[1].predictions, 1u);
  EXPECT_FALSE(bins[1].observed.HasInterval());
}

TEST(BrierOf, IsTheMeanSquareOfTheMisses) {
  const std::vector<LeftOutChance> chances = {Outcome("a", 0.8, true), Outcome("a", 0.4, false)};
  EXPECT_NEAR(BrierOf(chances).predicted, (0.04 + 0.16) / 2, 1e-12);
  EXPECT_NEAR(BrierOf(chances).usual, 0.25, 1e-12);
}

// Numbers of a table of the study, by program, compiler and metric.
std::map<std::string, double> Published(const std::string& file, std::string_view column) {
  const auto table =
      ReadCsv(TARE_SOURCE_DIR "/docs/studies/proxies/" + file, std::uint64_t{1} << 20);
  EXPECT_TRUE(table) << (table ? "" : table.error().message);
  std::map<std::string, double> numbers;
  if (!table) return numbers;
  const std::vector<std::string_view> names = {"program", "compiler", "metric", column};
  const auto columns = table->FindColumns(names);
  EXPECT_TRUE(columns) << (columns ? "" : columns.error().message);
  for (std::size_t i = 0; columns && i < table->Rows(); ++i) {
    const auto number = table->Number(i, (*columns)[3]);
    std::string key;
    for (std::size_t j = 0; j < 3; ++j) key += std::string(table->Cell(i, (*columns)[j])) + "/";
    if (number) numbers[key] = *number;
  }
  return numbers;
}

TEST(CaptureCases, AreTheRowsOfTheStudy) {
  std::map<decode::Architecture, std::size_t> compared;
  for (const auto architecture : {decode::Architecture::kAArch64}) {
    const auto predicted = Published("prediction.csv", "predicted");
    const auto measured = Published("ratios.csv", "ratio");
    for (const CaptureCase& one : CaptureCases()) {
      if (one.architecture != architecture) continue;
      ++compared[architecture];
      const std::string place =
          std::string(one.program) + "/" + std::string(Name(one.compiler)) + "/";
      const std::array<std::string, 3> names = {"instructions", "loads", "stores"};
      for (std::size_t i = 0; i < names.size(); ++i) {
        const double number = predicted.at(place + names[i] + "/");
        EXPECT_NEAR(one.predicted[i], number, 1e-4 * number) << place << names[i];
      }
      for (std::size_t i = 0; i < kCaptureMetrics; ++i) {
        const double number = measured.at(place + std::string(CaptureMetrics()[i]) + "/");
        EXPECT_NEAR(one.measured[i], number, 1e-4 * number) << place << CaptureMetrics()[i];
      }
    }
    EXPECT_EQ(compared[architecture] * 4, predicted.size());
  }
}

}  // namespace
}  // namespace tare::proxy
