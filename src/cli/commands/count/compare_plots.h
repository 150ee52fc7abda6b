// compare_plots.h: a comparison of counts of several machines as dots.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/machines/count_comparison.h"
#include "report/document.h"

namespace tare::cli {

// What the rows are called, one name for each benchmark of the comparison.
using BenchmarkNames = std::vector<std::string>;

// The differences of table `inter`: a row for each benchmark, a colour for each machine.
report::Bars DeviationDots(const machines::Comparison& comparison, const BenchmarkNames& names);

// The standard deviation of each machine over its runs, in the same form.
report::Bars WithinDots(const machines::Comparison& comparison, const BenchmarkNames& names);

// Benchmarks that differ in one thing only, such as before and after a change, share a row.
struct VariationRow {
  std::string name;   // of the row
  std::string group;  // of its dot
};

// The coefficient of variation between machines in per cent. One element for each benchmark.
report::Bars VariationDots(const machines::Comparison& comparison,
                           const std::vector<VariationRow>& rows);

}  // namespace tare::cli
