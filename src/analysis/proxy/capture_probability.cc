// capture_probability.cc: one logistic regression per metric, and its check on programs left out.
#include "analysis/proxy/capture_probability.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/check.h"
#include "stats/distribution.h"

namespace tare::proxy {
namespace {

constexpr std::size_t kMinPrograms = 3;
constexpr std::size_t kBins = 10;
// Predicted changes below this are the same: nothing that matters is added.
constexpr double kMinChange = 1e-4;

constexpr std::size_t kInstructionsIndex = 0;

// The place in CaptureCase::predicted that belongs to a metric.
std::size_t PredictorOf(std::size_t metric) {
  const std::string_view name = CaptureMetrics()[metric];
  if (name == Name(Predicted::kLoads)) return 1;
  if (name == Name(Predicted::kStores)) return 2;
  return kInstructionsIndex;
}

double LogChange(double ratio) { return std::log(std::max(std::abs(ratio - 1), kMinChange)); }

bool IsWithin(double ratio, double tolerance) { return std::abs(ratio - 1) <= tolerance; }

std::array<double, 3> RowOf(double ratio, double tolerance) {
  return {1, std::log(tolerance), LogChange(ratio)};
}

// Columns of a regression and its outcomes.
struct Observations {
  std::array<std::vector<double>, 3> columns;
  std::vector<double> outcomes;

  Result<stats::LogisticFit> Fit(std::size_t used_columns) const {
    std::vector<std::span<const double>> views;
    for (std::size_t i = 0; i < used_columns; ++i) views.emplace_back(columns[i]);
    return stats::FitLogistic(views, outcomes);
  }
};

Observations Observe(std::span<const CaptureCase> cases, std::size_t metric,
                     std::string_view without) {
  Observations observations;
  for (const CaptureCase& one : cases) {
    const double measured = one.measured[metric];
    if (one.program == without || measured == 0) continue;
    for (const double tolerance : CaptureModel::kTolerances) {
      const auto row = RowOf(one.predicted[PredictorOf(metric)], tolerance);
      for (std::size_t i = 0; i < row.size(); ++i) observations.columns[i].push_back(row[i]);
      observations.outcomes.push_back(IsWithin(measured, tolerance) ? 1 : 0);
    }
  }
  return observations;
}

}  // namespace

Result<CaptureModel> CaptureModel::Fit(std::span<const CaptureCase> cases) {
  CaptureModel model;
  model.cases_ = cases;
  for (const CaptureCase& one : cases) {
    if (std::ranges::find(model.programs_, one.program) == model.programs_.end()) {
      model.programs_.push_back(one.program);
    }
  }
  CHECK(model.programs_.size() >= kMinPrograms);
  for (std::size_t metric = 0; metric < kCaptureMetrics; ++metric) {
    if (model.Cases(metric) == 0) continue;
    MetricFit& fit = model.fits_[metric];
    TRY(fit.all, Observe(cases, metric, "").Fit(3));
    for (const std::string_view program : model.programs_) {
      const Observations others = Observe(cases, metric, program);
      TRY(auto without, others.Fit(3));
      TRY(const auto usual, others.Fit(2));
      for (const CaptureCase& one : cases) {
        if (one.program != program || one.measured[metric] == 0) continue;
        for (const double tolerance : kTolerances) {
          const auto row = RowOf(one.predicted[PredictorOf(metric)], tolerance);
          model.left_out_.push_back({program, metric, tolerance, without.Probability(row),
                                     usual.Probability(std::span(row).first(2)),
                                     IsWithin(one.measured[metric], tolerance)});
        }
      }
      fit.without.push_back(std::move(without));
    }
  }
  return model;
}

Measured CaptureModel::ChanceOf(std::size_t metric, double predicted_ratio, double tolerance,
                                double confidence) const {
  const MetricFit& fit = fits_[metric];
  if (fit.without.empty()) return Absent("no program of the study has it");
  const auto row = RowOf(predicted_ratio, tolerance);
  const double log_odds = fit.all.LogOdds(row);
  // The jackknife over programs (Efron and Tibshirani 1993, chapter 11).
  const auto count = static_cast<double>(fit.without.size());
  double mean = 0;
  for (const auto& without : fit.without) mean += without.LogOdds(row) / count;
  double squares = 0;
  for (const auto& without : fit.without) {
    const double distance = without.LogOdds(row) - mean;
    squares += distance * distance;
  }
  const double error = std::sqrt((count - 1) / count * squares);
  const double reach = stats::StudentCritical(confidence, count - 1) * error;
  Measured chance = Between(stats::FromLogOdds(log_odds), stats::FromLogOdds(log_odds - reach),
                            stats::FromLogOdds(log_odds + reach), confidence);
  const auto [nearest, farthest] = std::ranges::minmax(cases_, {}, [&](const CaptureCase& one) {
    return LogChange(one.predicted[PredictorOf(metric)]);
  });
  const std::size_t place = PredictorOf(metric);
  if (LogChange(predicted_ratio) > LogChange(farthest.predicted[place]) ||
      LogChange(predicted_ratio) < LogChange(nearest.predicted[place])) {
    return Doubtful(std::move(chance), "no program of the study has so small or large a change");
  }
  if (tolerance < kTolerances.front() || tolerance > kTolerances.back()) {
    return Doubtful(std::move(chance), "the probabilities were checked for 1 % to 100 % only");
  }
  return chance;
}

std::size_t CaptureModel::Cases(std::size_t metric) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      cases_, [&](const CaptureCase& one) { return one.measured[metric] != 0; }));
}

std::size_t CaptureModel::Captured(std::size_t metric, double tolerance) const {
  return static_cast<std::size_t>(std::ranges::count_if(cases_, [&](const CaptureCase& one) {
    return one.measured[metric] != 0 && IsWithin(one.measured[metric], tolerance);
  }));
}

std::optional<double> PredictedFor(std::size_t metric, const Prediction& prediction) {
  constexpr std::array kPredictors = {Predicted::kInstructions, Predicted::kLoads,
                                      Predicted::kStores};
  const Predicted predictor = kPredictors[PredictorOf(metric)];
  const auto found = std::ranges::find(prediction.metrics, predictor, &PredictedMetric::metric);
  if (found == prediction.metrics.end() || found->vanilla == 0) return std::nullopt;
  return found->ratio.Value();
}

namespace {

// The share of outcomes that came true. Programs are the independent observations: the ratio
// estimator of cluster sampling (Cochran 1977, section 3.12).
Measured ObservedShare(const std::map<std::string_view, std::pair<double, double>>& by_program,
                       double confidence) {
  double yes = 0;
  double all = 0;
  for (const auto& [program, counts] : by_program) {
    yes += counts.first;
    all += counts.second;
  }
  const double share = yes / all;
  const auto programs = static_cast<double>(by_program.size());
  if (by_program.size() < kMinPrograms) return Unbounded(share);
  double squares = 0;
  for (const auto& [program, counts] : by_program) {
    const double distance = counts.first - share * counts.second;
    squares += distance * distance;
  }
  const double error = std::sqrt(programs / (programs - 1) * squares) / all;
  const double reach = stats::StudentCritical(confidence, programs - 1) * error;
  return Between(share, std::max(0.0, share - reach), std::min(1.0, share + reach), confidence);
}

}  // namespace

std::vector<ReliabilityBin> Reliability(std::span<const LeftOutChance> chances, double confidence) {
  std::vector<ReliabilityBin> bins;
  for (std::size_t i = 0; i < kBins; ++i) {
    ReliabilityBin bin;
    bin.low = static_cast<double>(i) / kBins;
    bin.high = static_cast<double>(i + 1) / kBins;
    std::map<std::string_view, std::pair<double, double>> by_program;
    for (const LeftOutChance& one : chances) {
      const auto place = std::min(kBins - 1, static_cast<std::size_t>(one.chance * kBins));
      if (place != i) continue;
      ++bin.predictions;
      bin.predicted += one.chance;
      auto& [yes, all] = by_program[one.program];
      yes += one.captured ? 1 : 0;
      all += 1;
    }
    if (bin.predictions == 0) continue;
    bin.predicted /= static_cast<double>(bin.predictions);
    bin.programs = by_program.size();
    bin.observed = ObservedShare(by_program, confidence);
    bins.push_back(std::move(bin));
  }
  return bins;
}

BrierScores BrierOf(std::span<const LeftOutChance> chances) {
  BrierScores scores;
  for (const LeftOutChance& one : chances) {
    const double outcome = one.captured ? 1 : 0;
    scores.predicted += (one.chance - outcome) * (one.chance - outcome);
    scores.usual += (one.usual - outcome) * (one.usual - outcome);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(chances.size(), 1));
  return {scores.predicted / count, scores.usual / count};
}

}  // namespace tare::proxy
