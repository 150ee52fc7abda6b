// row_summary.h: numbers and texts of collected rows, summed up by group.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/document.h"

namespace tare::study_results {

struct ColumnSummary {
  std::string column;
  std::size_t count = 0;  // rows with a number
  double minimum = 0;
  double median = 0;
  double mean = 0;
  double maximum = 0;
  std::optional<double> geometric_mean;  // if all numbers are above 0
};

struct RowSummary {
  std::vector<std::string> texts;  // of `by`
  std::size_t rows = 0;
  std::vector<ColumnSummary> columns;          // in the order of the request; without numbers: none
  std::map<std::string, std::size_t> counted;  // rows by text of the counted column
};

// `count` may be empty.
std::vector<RowSummary> SummarizeRows(const report::Table& table,
                                      const std::vector<std::string>& by,
                                      const std::vector<std::string>& columns,
                                      const std::string& count);

}  // namespace tare::study_results
