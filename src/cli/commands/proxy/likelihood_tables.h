// likelihood_tables.h: how likely metrics stay within the tolerance, how good such probabilities
// are, and what changed in the static mix.
#pragma once

#include <string>

#include "analysis/proxy/capture_probability.h"
#include "analysis/proxy/metric_ratio.h"
#include "analysis/proxy/mix_change.h"
#include "analysis/proxy/proxy_prediction.h"
#include "report/document.h"

namespace tare::cli {

// A row for each metric with a probability, the largest first; with what was measured if `ratios`
// has it.
report::Table LikelihoodTable(const proxy::CaptureModel& model, const proxy::Prediction& prediction,
                              const proxy::ProgramRatios& ratios, double tolerance,
                              double confidence);

// Predicted probabilities against the share of predictions that came true.
report::Table ReliabilityTable(const proxy::CaptureModel& model, double confidence);
report::Series ReliabilityPlot(const proxy::CaptureModel& model, double confidence);

// What instrumentation changed in the static mix, by category.
report::Table MixChangeTable(const proxy::MixChange& change);

std::string LikelihoodSummary(const proxy::CaptureModel& model, double tolerance);

}  // namespace tare::cli
