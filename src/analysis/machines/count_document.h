// count_document.h: extracts the counts from a document of `tare count`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/machines/count_set.h"
#include "base/result.h"
#include "report/document.h"

namespace tare::machines {

// The program's file name and arguments, plus what is counted if that is not the program alone.
std::string BenchmarkOf(const report::Document& document);

// A row for each engine that has the metric, with the engine's name as its machine. `name` is the
// file's name. kFormat for documents of other commands and for those without the metric.
Result<std::vector<CountRow>> RowsOf(const report::Document& document, std::string_view metric,
                                     std::string_view name);

}  // namespace tare::machines
