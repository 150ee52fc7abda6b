// comparison_tables.h: the answer of a comparison in sentences, and the tables behind it.
#pragma once

#include <optional>
#include <string>

#include "analysis/compare/comparison.h"
#include "report/document.h"

namespace tare::cli {

// What the tables need besides the report.
struct CompareView {
  const compare::CompareReport& report;
  double detect = 0.01;
  bool fixed_layout = false;
  bool has_control = false;
  bool from_baseline = false;  // the first command is a stored one
  std::optional<double> gate = std::nullopt;
  bool of_counts = false;

  // Commands without the control.
  std::size_t Commands() const { return report.labels.size() - (has_control ? 1 : 0); }
};

// The outcome of --gate as an exit status: 0 passed, 1 too slow, 3 undecided.
int GateStatus(const CompareView& view);

std::string CompareAnswer(const CompareView& view);

report::Table ComparisonTable(const CompareView& view);
report::Table CountsTable(const CompareView& view);
// The exact counts and the other metrics again, a row for each metric, for readers.
report::Table ChangesTable(const CompareView& view);
report::Table ResourcesTable(const CompareView& view);
// The events of --event.
report::Table EventsTable(const CompareView& view);
report::Table FunctionsTable(const CompareView& view, std::size_t max_rows);
// Instructions of every function, for a later comparison with this result.
report::Table FunctionCountsTable(const CompareView& view);
report::Table SamplesTable(const CompareView& view);
report::Table LayoutsTable(const CompareView& view);
report::Table ControlTable(const CompareView& view);
report::Series DistributionSeries(const CompareView& view);

}  // namespace tare::cli
