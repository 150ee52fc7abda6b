// listing.h: lists everything that a metric can select, as lines for the TOML file.
#pragma once

#include <span>
#include <string>

#include "format/instrument_plan.h"

namespace tare::wrapper {

// Lists the selecting lines under a heading per kind: `call = "f"  # file.c:12`. Shows only the
// first and the last block of each function, and the first and the last line of each file.
// `candidates` must be in the order of ParseCandidates.
std::string ListingOf(std::span<const format::Candidate> candidates);

}  // namespace tare::wrapper
