// near_choice.h: what a metric that matches nothing was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "format/instrument_plan.h"

namespace tare::wrapper {

// The key of the TOML file: "call", "update".
std::string_view KeyOf(format::MetricEvent event);
std::string_view KeyOf(format::ChoiceKind kind);

// "; did you mean X?", or for lines, loops and blocks the nearest one of the same file or function;
// empty when nothing is like it.
std::string NearChoice(const format::PlannedMetric& metric,
                       std::span<const format::Choice> choices);

}  // namespace tare::wrapper
