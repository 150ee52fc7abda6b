// row_fit.cc: least squares by group.
#include "analysis/study_results/row_fit.h"

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "analysis/study_results/collected_table.h"
#include "stats/distribution.h"
#include "stats/least_squares.h"
#include "stats/sample.h"

namespace tare::study_results {
namespace {

// Two rows always lie on a line.
constexpr std::size_t kMinRows = 3;

void SetAll(RowFit& fit, const Measured& value) {
  fit.slope = value;
  fit.intercept = value;
  fit.determination = value;
  fit.deviation = value;
}

Measured Estimate(double value, const std::optional<double>& error, double critical,
                  double confidence) {
  if (!error) return Unbounded(value);
  return Between(value, value - critical * *error, value + critical * *error, confidence);
}

void Fit(const std::vector<double>& x, const std::vector<double>& y, double confidence,
         RowFit& fit) {
  const std::vector<double> ones(x.size(), 1.0);
  const std::array<std::span<const double>, 2> columns = {ones, x};
  const auto line = stats::LeastSquares(columns, y);
  if (!line) return SetAll(fit, Absent(line.error().message));
  if (line->rank < 2) return SetAll(fit, Absent("all values of x are the same"));
  const auto degrees = static_cast<double>(x.size() - 2);
  const double critical = stats::StudentCritical(confidence, degrees);
  fit.intercept = Estimate(line->coefficients[0], line->standard_errors[0], critical, confidence);
  fit.slope = Estimate(line->coefficients[1], line->standard_errors[1], critical, confidence);
  const double residual = line->residual_norm * line->residual_norm;
  const double spread = stats::MomentsOf(y).standard_deviation;
  const double total = spread * spread * static_cast<double>(y.size() - 1);
  fit.determination =
      total > 0 ? Unbounded(1 - residual / total) : Absent("all values of y are the same");
  fit.deviation = Unbounded(std::sqrt(residual / degrees));
}

}  // namespace

std::vector<RowFit> FitRows(const report::Table& table, const FitRequest& request) {
  std::vector<RowFit> fits;
  for (const RowGroup& group : GroupRows(table, request.by)) {
    std::vector<double> x;
    std::vector<double> y;
    for (const std::size_t row : group.rows) {
      const auto at = NumberOf(table, table.rows[row], request.x);
      const auto value = NumberOf(table, table.rows[row], request.y);
      if (!at || !value) continue;
      x.push_back(AsDouble(*at));
      y.push_back(AsDouble(*value));
    }
    if (x.empty()) continue;
    RowFit fit;
    fit.texts = group.texts;
    fit.rows = x.size();
    if (x.size() < kMinRows) {
      SetAll(fit, Absent("a line needs three rows"));
    } else {
      Fit(x, y, request.confidence, fit);
    }
    fits.push_back(std::move(fit));
  }
  return fits;
}

}  // namespace tare::study_results
