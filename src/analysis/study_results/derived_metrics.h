// derived_metrics.h: metrics that are computed from others of the same run.
#pragma once

#include "analysis/study/study_file.h"
#include "analysis/study/study_store.h"

namespace tare::study_results {

// Adds the metrics of [[metric]] tables with an expression. A run that lacks a metric of an
// expression lacks the derived one, too.
void AddDerivedMetrics(const study::Study& study, study::StoredStudy& stored);

}  // namespace tare::study_results
