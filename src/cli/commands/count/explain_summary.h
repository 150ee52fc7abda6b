// explain_summary.h: an explanation of a difference in sentences.
#pragma once

#include <optional>
#include <string>

#include "analysis/explain/explanation.h"
#include "analysis/explain/tick_rate.h"

namespace tare::cli {

// What was found and how far it goes, or what would have been found; then what could not be
// judged.
std::string ExplanationSummary(const explain::Difference& difference,
                               const explain::Explanation& explanation,
                               const std::optional<explain::TickRate>& ticks);

// "fldcw", "rep iteration beyond the first", "second": what an extra count is for each of.
std::string OccurrenceOf(const explain::Cause& cause);

}  // namespace tare::cli
