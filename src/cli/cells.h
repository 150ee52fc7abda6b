// cells.h: results of the measuring libraries as cells and caveats of a document.
#pragma once

#include <span>
#include <string>

#include "base/caveat.h"
#include "base/result.h"
#include "report/document.h"
#include "stats/interval.h"

namespace tare::cli {

// The estimate multiplied by `factor`, with its interval.
Measured Estimated(const stats::Estimate& estimate, double confidence, double factor = 1);

// A number that is known, not measured.
Measured Known(double value);

// Whole counts; every count of ours fits in 63 bits.
Measured Count(std::uint64_t count);

// Marks the number with the worst verdict among the caveats and says why.
Measured Judged(Measured measured, std::span<const Caveat> caveats);

// Adds caveats; those that say the same are told once, and those that refuse numbers come first.
void AddCaveats(report::Document& document, std::span<const Caveat> caveats);

// When one of the caveats refuses, every measured number of the document is refused with its
// reason.
void RefuseNumbers(report::Document& document, std::span<const Caveat> caveats);

// The confidence that the user asked for, 0.95 when none; refuses what does not lie between 0
// and 1.
Result<double> Confidence(const std::optional<double>& given);

}  // namespace tare::cli
