// frequent_functions.h: functions that are called too often to be counted cheaply, by an earlier
// count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/document.h"

namespace tare::metrics {

struct TooOften {
  // Functions with more calls are left out.
  std::optional<std::uint64_t> max_calls;
  // So are those that run fewer instructions of their own in a call, when there are so many calls
  // that it matters.
  std::uint64_t min_per_call = 100;
  std::uint64_t calls_that_matter = 1000;
};

// More names than this do not fit into an environment variable.
inline constexpr std::size_t kMaxTooOften = 1000;

// Names of functions out of the table `blocks` of `tare count --per block`: those that are called
// most often first, at most kMaxTooOften. The calls of a function are the executions of its first
// block. Errors: kFormat when the document has no such table.
Result<std::vector<std::string>> FunctionsCalledTooOften(const report::Document& document,
                                                         const TooOften& limits);

}  // namespace tare::metrics
