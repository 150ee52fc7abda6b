// capture_probability.h: how likely it is that a metric of an instrumented program stays within a
// tolerance, from programs whose ratios were predicted and measured. See docs/methods/proxies.md.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/proxy/capture_cases.h"
#include "analysis/proxy/proxy_prediction.h"
#include "base/measured.h"
#include "base/result.h"
#include "stats/logistic.h"

namespace tare::proxy {

// Whether a metric of a case was within a tolerance, and what the other programs said about it.
struct LeftOutChance {
  std::string_view program;
  std::size_t metric = 0;  // in CaptureMetrics()
  double tolerance = 0;
  double chance = 0;  // from the cases of all other programs
  double usual = 0;   // the same without the predicted ratio
  bool captured = false;
};

// A logistic regression for each metric: the log odds that |ratio - 1| is at most a tolerance are
// linear in the logarithms of the tolerance and of the predicted change. Loads and stores have
// predictions of their own, all other metrics that of instructions.
class CaptureModel {
 public:
  // Needs cases of three programs or more.
  static Result<CaptureModel> Fit(std::span<const CaptureCase> cases);

  // The probability with an interval from leaving out each program in turn. Doubtful where no case
  // is as far from 1, or as near.
  Measured ChanceOf(std::size_t metric, double predicted_ratio, double tolerance,
                    double confidence) const;

  // How many cases have the metric, and in how many of them it is within the tolerance.
  std::size_t Cases(std::size_t metric) const;
  std::size_t Captured(std::size_t metric, double tolerance) const;
  std::size_t Programs() const { return programs_.size(); }

  // For each case, metric and tolerance of kTolerances.
  const std::vector<LeftOutChance>& LeftOut() const { return left_out_; }

  static constexpr auto kTolerances = std::to_array<double>({0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1});

 private:
  struct MetricFit {
    stats::LogisticFit all;
    std::vector<stats::LogisticFit> without;  // each program
  };

  std::span<const CaptureCase> cases_;
  std::vector<std::string_view> programs_;
  std::array<MetricFit, kCaptureMetrics> fits_;
  std::vector<LeftOutChance> left_out_;
};

// The predicted ratio that says most about a metric; nothing if the program has none.
std::optional<double> PredictedFor(std::size_t metric, const Prediction& prediction);

// Predictions of similar probability: how often they came true.
struct ReliabilityBin {
  double low = 0;  // of the probability
  double high = 0;
  std::size_t predictions = 0;
  std::size_t programs = 0;
  double predicted = 0;  // mean
  // Its interval takes the predictions about one program as one observation; without one if there
  // are fewer than three programs.
  Measured observed;
};

// In ten bins of equal width; empty ones are left out.
std::vector<ReliabilityBin> Reliability(std::span<const LeftOutChance> chances, double confidence);

// Mean squared difference between probability and outcome (Brier 1950); smaller is better.
struct BrierScores {
  double predicted = 0;
  double usual = 0;  // without the predicted ratio
};
BrierScores BrierOf(std::span<const LeftOutChance> chances);

}  // namespace tare::proxy
