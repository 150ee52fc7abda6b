// cells.h: converts results of the measuring libraries to cells and caveats of a document.
#pragma once

#include <span>
#include <string>

#include "base/caveat.h"
#include "base/result.h"
#include "report/document.h"

namespace tare::cli {

// A whole count; every count in tare fits in 63 bits.
Measured Count(std::uint64_t count);

// Marks the number with the worst verdict among the caveats and the reason.
Measured WithCaveats(Measured measured, std::span<const Caveat> caveats);

// Adds caveats without duplicates; those that refuse numbers come first.
void AddCaveats(report::Document& document, std::span<const Caveat> caveats);
// Whether the caveats say that the program replaced itself by another one, which was not followed.
bool IsReplaced(std::span<const Caveat> caveats);

// If one of the caveats refuses, refuses every measured number of the document with its reason.
void RefuseNumbers(report::Document& document, std::span<const Caveat> caveats);

// The requested confidence, or 0.95; kUsage unless it is between 0 and 1.
Result<double> Confidence(const std::optional<double>& given);

}  // namespace tare::cli
