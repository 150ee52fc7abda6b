// output_metrics.h: numbers in what a program prints.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/study/run_record.h"
#include "analysis/study/study_file.h"
#include "base/result.h"

namespace tare::study {

// The metrics that this program prints.
std::vector<OutputMetric> MetricsOfProgram(const Study& study, const std::string& program);

// Fails (kFormat) if the output lacks one of the numbers; the message says which.
Result<std::vector<MetricValue>> ReadMetrics(const std::vector<OutputMetric>& metrics,
                                             std::string_view output);

}  // namespace tare::study
