// explain_summary.h: describes the explanation of a difference in sentences.
#pragma once

#include <optional>
#include <string>

#include "analysis/explain/explanation.h"
#include "analysis/explain/tick_rate.h"

namespace tare::cli {

// What was found and its certainty, or what would have been detected; then what could not be
// tested.
std::string ExplanationSummary(const explain::Difference& difference,
                               const explain::Explanation& explanation,
                               const std::optional<explain::TickRate>& ticks);

// The unit of an extra count: "fldcw", "rep iteration beyond the first", "second".
std::string OccurrenceOf(const explain::Cause& cause);

}  // namespace tare::cli
