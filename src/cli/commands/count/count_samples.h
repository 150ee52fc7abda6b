// count_samples.h: the single runs behind each mean, and the means as a plot.
#pragma once

#include <optional>
#include <span>

#include "measure/count/count_program.h"
#include "model/core/processor.h"
#include "report/document.h"

namespace tare::cli {

// A row per engine, metric and run of what was counted in several runs: metrics of the engines,
// events of the models of `processor`, and events of the native runs.
report::Table CountSamplesTable(const count::CountReport& report,
                                std::span<const count::Metric> metrics,
                                const std::optional<model::Processor>& processor);

// Counts of the engines, and events of their models, as dots: a row per metric without a unit, a
// dot per engine. Metrics that are 0 everywhere are left out.
report::Bars CountDots(const count::CountReport& report, std::span<const count::Metric> metrics,
                       const std::optional<model::Processor>& processor);

}  // namespace tare::cli
