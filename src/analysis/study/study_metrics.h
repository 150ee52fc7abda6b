// study_metrics.h: refuses names of metrics that no run of a study can have.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analysis/study/study_file.h"
#include "base/result.h"
#include "base/toml_table.h"

namespace tare::study {

// What a timed run has besides the program's metrics, in % of all processors: what other programs
// used, and what the hypervisor took, while it ran. Absent for runs of a few milliseconds.
inline constexpr std::string_view kOtherPrograms = "other-programs";
inline constexpr std::string_view kStolenTime = "stolen-time";

// Fails at the key unless the engines of the study, or its [[metric]] tables, give all metrics;
// `timed`: those of the engine time. The study has its engines and [[metric]] tables.
Result<void> RequireMetrics(const TomlTable& table, std::string_view key,
                            std::span<const std::string> metrics, const Study& study,
                            bool timed = false);

// Whether an engine of the study, or a [[metric]] so far, gives this metric.
bool IsGiven(const Study& study, std::string_view metric);

// The rule of [precision] needs the engine time, and one of its metrics.
Result<void> RequirePrecision(const TomlTable& root, const Study& study);

}  // namespace tare::study
