// row_fit.cc: least squares by group.
#include "analysis/study_results/row_fit.h"

#include <array>
#include <cmath>
#include <optional>
#include <set>
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
  fit.left_out = value;
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

struct Rows {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::string> left_out;  // the text of each row
};

// The squares of the distances of the rows with this text from the line through the others; nothing
// if those are no line.
std::optional<double> SquaresWithout(const Rows& rows, const std::string& text) {
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    if (rows.left_out[i] == text) continue;
    x.push_back(rows.x[i]);
    y.push_back(rows.y[i]);
  }
  const std::vector<double> ones(x.size(), 1.0);
  const std::array<std::span<const double>, 2> columns = {ones, x};
  const auto line = stats::LeastSquares(columns, y);
  if (!line || line->rank < 2 || x.size() < kMinRows) return std::nullopt;
  double squares = 0;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    if (rows.left_out[i] != text) continue;
    const double off = rows.y[i] - line->coefficients[0] - line->coefficients[1] * rows.x[i];
    squares += off * off;
  }
  return squares;
}

Measured LeftOutError(const Rows& rows) {
  double squares = 0;
  for (const std::string& text : std::set(rows.left_out.begin(), rows.left_out.end())) {
    const auto without = SquaresWithout(rows, text);
    if (!without) return Absent("the rows of the others do not decide a line");
    squares += *without;
  }
  return Unbounded(std::sqrt(squares / static_cast<double>(rows.x.size())));
}

}  // namespace

std::vector<RowFit> FitRows(const report::Table& table, const FitRequest& request) {
  std::vector<RowFit> fits;
  for (const RowGroup& group : GroupRows(table, request.by)) {
    Rows rows;
    for (const std::size_t row : group.rows) {
      const auto at = NumberOf(table, table.rows[row], request.x);
      const auto value = NumberOf(table, table.rows[row], request.y);
      if (!at || !value) continue;
      rows.x.push_back(AsDouble(*at));
      rows.y.push_back(AsDouble(*value));
      rows.left_out.push_back(TextOf(table, table.rows[row], request.leave_out));
    }
    if (rows.x.empty()) continue;
    RowFit fit;
    fit.texts = group.texts;
    fit.rows = rows.x.size();
    if (rows.x.size() < kMinRows) {
      SetAll(fit, Absent("a line needs three rows"));
    } else {
      Fit(rows.x, rows.y, request.confidence, fit);
      fit.left_out = request.leave_out.empty() ? Absent("no leave_out") : LeftOutError(rows);
    }
    fits.push_back(std::move(fit));
  }
  return fits;
}

}  // namespace tare::study_results
