// frequent_functions.h: finds functions that are called too often to be counted cheaply, using an
// earlier count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/document.h"

namespace tare::metrics {

struct TooOften {
  // Functions with more calls are excluded.
  std::optional<std::uint64_t> max_calls;
  // Functions with fewer own instructions per call are excluded, too, if they have at least
  // calls_that_matter calls.
  std::uint64_t min_per_call = 100;
  std::uint64_t calls_that_matter = 1000;
};

// More names do not fit into an environment variable.
inline constexpr std::size_t kMaxTooOften = 1000;

// Returns names of functions from the table `blocks` of `tare count --per block`, the most often
// called first, at most kMaxTooOften. A function's calls are the executions of its first block.
// Fails (kFormat) if the document has no such table.
Result<std::vector<std::string>> FunctionsCalledTooOften(const report::Document& document,
                                                         const TooOften& limits);

}  // namespace tare::metrics
