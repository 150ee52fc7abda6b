// near_candidate.h: suggests a candidate for a metric that matches nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "format/instrument_plan.h"

namespace tare::wrapper {

// The key in the TOML file: "call", "update".
std::string_view KeyOf(format::MetricEvent event);
std::string_view KeyOf(format::CandidateKind kind);

// Returns "; did you mean X?", or for lines, loops and blocks the nearest one in the same file or
// function; empty if there is no similar candidate.
std::string NearCandidate(const format::PlannedMetric& metric,
                          std::span<const format::Candidate> candidates);

}  // namespace tare::wrapper
