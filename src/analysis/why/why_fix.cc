// why_fix.cc: maps factors to options and advice.
#include "analysis/why/why_fix.h"

#include <fmt/format.h>

#include <algorithm>

namespace tare::why {
namespace {

Fix FixOf(Factor factor, const FixedValues& fixed) {
  const auto option = [&](std::string text, std::string advice) {
    return Fix{factor, std::move(text), std::move(advice)};
  };
  switch (factor) {
    case Factor::kStack:
      return option(fmt::format("--env-bytes {}", fixed.environment_bytes),
                    "Without --aslr, tare switches address randomization off; an environment of "
                    "constant size then fixes the stack address.");
    case Factor::kEnvironment:
      return option(fmt::format("--env-bytes {}", fixed.environment_bytes),
                    "Pad the environment to a constant size.");
    case Factor::kHeap:
    case Factor::kMappings:
    case Factor::kRandomization:
      return option("",
                    "tare fixes it by default (without --aslr); "
                    "elsewhere use setarch -R.");
    case Factor::kArgv0:
      return option(fmt::format("--argv0-length {}", fixed.argv0_length),
                    "Start the program with an argv[0] of constant length.");
    case Factor::kDirectory:
      return option(fmt::format("--cwd-length {}", fixed.cwd_length.value_or(0)),
                    "Run it in directories whose paths have a constant length.");
    case Factor::kDispatch:
      return option(
          "",
          "tare shows every engine the same processor by default (without --native-view); "
          "elsewhere set GLIBC_TUNABLES as the provenance shows it.");
    case Factor::kProcessId:
      return option(fixed.process_id ? fmt::format("--pid {}", *fixed.process_id) : "",
                    "Give it a fixed process ID, in its own PID namespace.");
    case Factor::kHugePages:
      return option("--huge-pages off", "Disable huge pages, or always enable them.");
    case Factor::kCore:
      return option(fixed.core ? fmt::format("--core {}", *fixed.core) : "", "Pin it to one core.");
    case Factor::kNeighbour:
      return option("", "Stop other work on the machine while measuring.");
    case Factor::kPageCache:
      return option("", "Read its files once before measuring.");
    case Factor::kStatic:
      return option("", "Compare files that are linked in the same way.");
    case Factor::kLinkOrder:
      return option("", "Fix the link order, or measure several orders and report the spread.");
    case Factor::kTime:
      return option("",
                    "No option fixes it: the program reads the time. If it has a setting for a "
                    "fixed time, use that.");
    case Factor::kRandom:
      return option("",
                    "No option fixes it: the program reads random numbers. If it has a setting for "
                    "the seed, use that; tare sets the hash seeds of Python and Perl.");
    case Factor::kSystem:
      return option("", "No option fixes it: the program reads the state of the system.");
    case Factor::kThreads:
      return option("",
                    "No option fixes thread scheduling. Use one thread, or report "
                    "the spread of many runs.");
    case Factor::kNetwork:
      return option("", "No option fixes it: the program reads from the network.");
    case Factor::kUnnamed:
      return option("", "The cause is unknown: report the spread of many runs.");
  }
  return Fix{factor, "", ""};
}

}  // namespace

std::vector<Fix> FixesFor(const WhyReport& report) {
  std::vector<Fix> fixes;
  const auto add = [&](Factor factor) {
    if (std::ranges::find(fixes, factor, &Fix::factor) == fixes.end()) {
      fixes.push_back(FixOf(factor, report.fixed));
    }
  };
  for (const Answer& answer : report.answers) {
    for (const Cause& cause : answer.findings.causes) {
      if (!cause.significant) continue;
      for (const Factor factor : cause.factors) add(factor);
    }
    if (answer.findings.negligible_scatter) continue;
    for (const Suspect& suspect : answer.suspects) add(suspect.factor);
  }
  return fixes;
}

}  // namespace tare::why
