// difference.h: what two sources differ by in each program, beside all that may be the cause.
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

// A cause that occurs in proportion to another in every program given.
struct Twin {
  Cause cause;
  double factor;  // occurrences of the candidate for each of this one
};

struct Candidate {
  Cause cause;
  std::vector<double> counts;  // occurrences, by program
  std::vector<Twin> twins;     // nothing in these programs tells them from `cause`
};

struct Difference {
  std::string first;
  std::string second;
  std::vector<std::string> programs;
  std::vector<double> first_counts;
  std::vector<double> second_counts;
  std::vector<double> amounts;  // second less first
  std::vector<Candidate> candidates;
  std::vector<Cause> rare;            // in too few programs to be told from chance
  std::vector<std::string> left_out;  // programs that lack a source or opcodes
};

// The place of the candidate that is the same for every program.
inline constexpr std::size_t kConstant = 0;

// A cause must occur in this many programs to be a candidate.
inline constexpr std::size_t kMinSupport = 3;

// More than programs have in practice; the search takes seconds with as many.
inline constexpr std::size_t kMaxCauses = 4096;
inline constexpr std::size_t kMaxCells = 200'000;

// Names of the sources that any program has, sorted.
std::vector<std::string> SourcesOf(std::span<const Program> programs);

// Without `sources` exactly two must be there. Fails (kUsage) with the sources that are there, and
// when there is too much to search; (kFormat) when no program has both.
Result<Difference> DifferenceOf(std::span<const Program> programs,
                                const std::optional<std::pair<std::string, std::string>>& sources);

}  // namespace tare::explain
