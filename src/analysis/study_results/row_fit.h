// row_fit.h: straight lines through two columns of collected rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/measured.h"
#include "report/document.h"

namespace tare::study_results {

// y = intercept + slope * x, by least squares. Absent, with the reason, where the rows do not
// decide it.
struct RowFit {
  std::vector<std::string> texts;  // of `by`
  std::size_t rows = 0;            // with both numbers
  Measured slope;
  Measured intercept;
  Measured determination;  // R^2: the share of the variance of y that the line explains
  Measured deviation;      // of y from the line: root of the residual variance
  // Root of the mean squared distance of y from the line through the rows of all other texts of
  // `leave_out`.
  Measured left_out;
};

struct FitRequest {
  std::vector<std::string> by;
  std::string x;
  std::string y;
  double confidence = 0.95;
  std::string leave_out = {};  // column; empty: `left_out` is absent
};

// Groups without a row that has both numbers are left out. Slope and intercept have Student's
// intervals, which suppose independent errors of one size.
std::vector<RowFit> FitRows(const report::Table& table, const FitRequest& request);

}  // namespace tare::study_results
