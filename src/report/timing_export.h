// timing_export.h: compared times in the formats of Google Benchmark and hyperfine.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "report/page.h"

namespace tare::report {

// Both need results of `tare compare` with timed runs, and fail (kFormat) otherwise.
Result<std::string> ToGoogleBenchmark(std::span<const PageResult> results);
Result<std::string> ToHyperfine(std::span<const PageResult> results);

}  // namespace tare::report
