// logistic.cc: Newton steps on the penalized likelihood, each by weighted least squares.
#include "stats/logistic.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

constexpr int kMaxSteps = 500;
constexpr double kConverged = 1e-9;
// Larger steps overshoot where columns almost separate the outcomes.
constexpr double kMaxStep = 2;
constexpr double kMinWeight = 1e-12;

// Columns times the roots of the weights, whose projection has the leverages.
std::vector<double> Leverages(Columns columns, std::span<const double> weights) {
  std::vector<std::vector<double>> scaled(columns.size(), std::vector<double>(weights.size()));
  std::vector<std::span<const double>> views;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      scaled[j][i] = std::sqrt(weights[i]) * columns[j][i];
    }
    views.emplace_back(scaled[j]);
  }
  const ColumnSpace space(views, weights.size());
  std::vector<double> leverages(weights.size());
  for (std::size_t i = 0; i < leverages.size(); ++i) leverages[i] = space.Leverage(i);
  return leverages;
}

// The length of a step of the coefficients.
double MaxChange(std::span<const double> step) {
  double largest = 0;
  for (const double change : step) largest = std::max(largest, std::abs(change));
  return largest;
}

std::vector<double> RowOf(Columns columns, std::size_t row) {
  std::vector<double> values;
  for (const auto& column : columns) values.push_back(column[row]);
  return values;
}

}  // namespace

double FromLogOdds(double log_odds) { return 1 / (1 + std::exp(-log_odds)); }

double LogisticFit::LogOdds(std::span<const double> row) const {
  CHECK(row.size() == coefficients.size());
  double sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j) sum += coefficients[j] * row[j];
  return sum;
}

double LogisticFit::Probability(std::span<const double> row) const {
  return FromLogOdds(LogOdds(row));
}

Result<LogisticFit> FitLogistic(Columns columns, std::span<const double> outcomes) {
  TRY_VOID(RequireSamples("logistic regression", outcomes, 1));
  for (const auto& column : columns) CHECK(column.size() == outcomes.size());
  LogisticFit fit{std::vector<double>(columns.size(), 0.0)};
  std::vector<double> weights(outcomes.size());
  std::vector<double> chances(outcomes.size());
  std::vector<double> target(outcomes.size());
  for (int step = 0; step < kMaxSteps; ++step) {
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      chances[i] = fit.Probability(RowOf(columns, i));
      weights[i] = std::max(chances[i] * (1 - chances[i]), kMinWeight);
    }
    const auto leverages = Leverages(columns, weights);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const double penalty = leverages[i] * (0.5 - chances[i]);
      target[i] = (outcomes[i] - chances[i] + penalty) / weights[i];
    }
    TRY(const LinearFit newton, LeastSquares(columns, target, weights));
    const double change = MaxChange(newton.coefficients);
    const double part = std::min(1.0, kMaxStep / std::max(change, kConverged));
    for (std::size_t j = 0; j < columns.size(); ++j) {
      fit.coefficients[j] += part * newton.coefficients[j];
    }
    if (change < kConverged) return fit;
  }
  return Fail(ErrorKind::kUnsupported, "logistic regression: the steps do not converge");
}

}  // namespace tare::stats
