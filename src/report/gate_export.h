// gate_export.h: verdicts of results for continuous integration: JUnit XML and GitHub annotations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/page.h"

namespace tare::report {

enum class GateOutcome { kPassed, kFailed, kUndecided };

struct GateCase {
  std::string suite;  // the title of the result
  std::string name;
  GateOutcome outcome;
  std::string message;
};

// What a result decides. A comparison with --gate gives a case per command: failed if it is slower
// than allowed, undecided if the interval contains the limit. Otherwise each measured number of a
// table with a column `verdict`, or the result as a whole, is a case: refused numbers fail, and
// doubtful ones are undecided. Refused caveats fail, too.
std::vector<GateCase> GateCases(const PageResult& result);

// A test suite per result. Undecided cases are skipped ones, as JUnit has no other word.
std::string ToJUnit(std::span<const PageResult> results);

// Workflow commands: ::error for failed cases, ::warning for undecided ones, ::notice for a result
// whose cases all passed.
std::string ToGithubAnnotations(std::span<const PageResult> results);

}  // namespace tare::report
