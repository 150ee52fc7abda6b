// count_samples.h: table of the single runs behind each mean.
#pragma once

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

}  // namespace tare::cli
