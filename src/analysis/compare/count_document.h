// count_document.h: the counts that a document of `tare count` holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/count_set.h"
#include "base/result.h"
#include "report/document.h"

namespace tare::compare {

// The program's file name and arguments; what is counted of it, where that is not all and it alone.
std::string BenchmarkOf(const report::Document& document);

// A row for each engine that has the metric; its machine is the engine's name. `name` is the
// file's. Fails (kFormat) on documents of other commands and on those without the metric.
Result<std::vector<CountRow>> RowsOf(const report::Document& document, std::string_view metric,
                                     std::string_view name);

}  // namespace tare::compare
