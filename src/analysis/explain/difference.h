// difference.h: the difference of two sources in each program, with all candidate causes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/explain/observations.h"
#include "base/result.h"

namespace tare::explain {

// A cause that is proportional to another in every given program.
struct Twin {
  Cause cause;
  double factor;  // occurrences of the candidate per occurrence of this cause
};

struct Candidate {
  Cause cause;
  std::vector<double> counts;  // occurrences, by program
  std::vector<Twin> twins;     // indistinguishable from `cause` in these programs
};

struct Difference {
  std::string first;
  std::string second;
  std::vector<std::string> programs;
  std::vector<double> first_counts;
  std::vector<double> second_counts;
  std::vector<double> amounts;  // second minus first
  std::vector<Candidate> candidates;
  std::vector<Cause> rare;            // in too few programs to be significant
  std::vector<std::string> left_out;  // programs that lack a source or opcodes
};

// Index of the candidate that is the same for every program.
inline constexpr std::size_t kConstant = 0;

// Minimum number of programs in which a candidate cause must occur.
inline constexpr std::size_t kMinSupport = 3;

// More than programs have in practice; the search takes seconds at this limit.
inline constexpr std::size_t kMaxCauses = 4096;
inline constexpr std::size_t kMaxCells = 200'000;

// Sorted names of the sources of all programs.
std::vector<std::string> SourcesOf(std::span<const Program> programs);

// Without `sources` there must be exactly two. kUsage, with the available sources, if not, and if
// there is too much to search; kFormat if no program has both.
Result<Difference> DifferenceOf(std::span<const Program> programs,
                                const std::optional<std::pair<std::string, std::string>>& sources);

}  // namespace tare::explain
