// proxy_tables.h: tables of the ratios of an instrumented program.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/proxy/proxy_measurement.h"
#include "analysis/proxy/proxy_prediction.h"
#include "analysis/proxy/ratio_table.h"
#include "analysis/proxy/simple_rule.h"
#include "analysis/proxy/static_difference.h"
#include "report/document.h"

namespace tare::cli {

// A row per program and metric. `whole` includes metrics without a ratio, with the reason, and the
// intervals of the amounts.
report::Table RatiosTable(std::span<const proxy::ProgramRatios> programs, bool whole);

// The ratios as dots, a row per metric, with the tolerance as marks.
report::Bars RatioDots(std::span<const proxy::ProgramRatios> programs, double tolerance);

// A row per program, a column per metric; for measured programs, the metrics of `ratios` that such
// tables usually have.
report::Table WideRatiosTable(std::span<const proxy::ProgramRatios> programs, bool measured);

// The amounts of each pair of runs, where there are several.
report::Table PairsTable(const proxy::ProgramRatios& program);

// Where "run time within 10 %" is wrong about a metric.
report::Table MisledTable(std::span<const proxy::ProgramRatios> programs);

// The causes of the difference in counts, in total and by function.
report::Table DifferencePartsTable(const proxy::StaticDifference& difference);
report::Table DifferenceFunctionsTable(const proxy::StaticDifference& difference,
                                       std::size_t max_rows, bool whole);

// Predicted ratios, with the measured ones if `judged` has them.
report::Table PredictionTable(const proxy::Prediction& prediction,
                              const proxy::ProgramRatios& ratios, double tolerance);

// Summaries in sentences.
std::string ProxySummary(const proxy::ProxyReport& report, const proxy::ProxyRequest& request);
std::string ImportSummary(const proxy::ImportedRatios& imported, double tolerance);
std::string PredictionSummary(const proxy::Prediction& prediction);

}  // namespace tare::cli
