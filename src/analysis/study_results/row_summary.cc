// row_summary.cc: order statistics and means of columns.
#include "analysis/study_results/row_summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/study_results/collected_table.h"
#include "stats/summary.h"

namespace tare::study_results {
namespace {

std::optional<ColumnSummary> SummaryOf(const std::string& column,
                                       const std::vector<double>& values) {
  const auto summary = stats::Summarize(values);
  if (!summary) return std::nullopt;
  ColumnSummary result{column,        values.size(),    summary->minimum, summary->median,
                       summary->mean, summary->maximum, std::nullopt};
  if (summary->minimum > 0) {
    double logs = 0;
    for (const double value : values) logs += std::log(value);
    result.geometric_mean = std::exp(logs / static_cast<double>(values.size()));
  }
  return result;
}

}  // namespace

std::vector<RowSummary> SummarizeRows(const report::Table& table,
                                      const std::vector<std::string>& by,
                                      const std::vector<std::string>& columns,
                                      const std::string& count) {
  std::vector<RowSummary> summaries;
  for (const RowGroup& group : GroupRows(table, by)) {
    RowSummary summary{group.texts, group.rows.size(), {}, {}};
    for (const std::string& column : columns) {
      std::vector<double> values;
      for (const std::size_t row : group.rows) {
        if (const auto number = NumberOf(table, table.rows[row], column)) {
          values.push_back(AsDouble(*number));
        }
      }
      if (auto one = SummaryOf(column, values)) summary.columns.push_back(*std::move(one));
    }
    if (!count.empty()) {
      for (const std::size_t row : group.rows) {
        const std::string text = TextOf(table, table.rows[row], count);
        if (!text.empty()) ++summary.counted[text];
      }
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace tare::study_results
