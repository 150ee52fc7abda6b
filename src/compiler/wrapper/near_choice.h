// near_choice.h: suggests a choice for a metric that matches nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "format/instrument_plan.h"

namespace tare::wrapper {

// The key in the TOML file: "call", "update".
std::string_view KeyOf(format::MetricEvent event);
std::string_view KeyOf(format::ChoiceKind kind);

// Returns "; did you mean X?", or for lines, loops and blocks the nearest one in the same file or
// function; empty if there is no similar choice.
std::string NearChoice(const format::PlannedMetric& metric,
                       std::span<const format::Choice> choices);

}  // namespace tare::wrapper
