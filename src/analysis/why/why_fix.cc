// why_fix.cc: maps factors to options and advice.
#include "analysis/why/why_fix.h"

#include <fmt/format.h>

#include <algorithm>

namespace tare::why {
namespace {

Fix FixOf(Factor factor, const Held& held) {
  const auto option = [&](std::string text, std::string advice) {
    return Fix{factor, std::move(text), std::move(advice)};
  };
  switch (factor) {
    case Factor::kStack:
      return option(fmt::format("--env-bytes {}", held.environment_bytes),
                    "Randomization off, as it is unless --aslr is given, and an environment of "
                    "one size hold the stack where it is.");
    case Factor::kEnvironment:
      return option(fmt::format("--env-bytes {}", held.environment_bytes),
                    "Pad the environment to one size.");
    case Factor::kHeap:
    case Factor::kMappings:
    case Factor::kRandomization:
      return option("",
                    "Randomization off, as it is unless --aslr is given, holds it; "
                    "elsewhere use setarch -R.");
    case Factor::kName:
      return option(fmt::format("--argv0-length {}", held.argv0_length),
                    "Start the program by a path of one length.");
    case Factor::kDirectory:
      return option(fmt::format("--cwd-length {}", held.cwd_length.value_or(0)),
                    "Run it in directories whose paths have one length.");
    case Factor::kDispatch:
      return option("",
                    "tare shows every engine the same processor unless --native-view is given; "
                    "elsewhere set GLIBC_TUNABLES as the provenance shows it.");
    case Factor::kProcessId:
      return option(held.process_id ? fmt::format("--pid {}", *held.process_id) : "",
                    "Give it one process id, in a namespace of its own.");
    case Factor::kHugePages:
      return option("--huge-pages off", "Switch huge pages off, or always on.");
    case Factor::kCore:
      return option(held.core ? fmt::format("--core {}", *held.core) : "", "Hold it on one core.");
    case Factor::kNeighbour:
      return option("", "Keep the machine free of other work while it is measured.");
    case Factor::kPageCache:
      return option("", "Read its files once before measuring.");
    case Factor::kStatic:
      return option("", "Compare files that are linked alike.");
    case Factor::kLinkOrder:
      return option("", "Link the objects in one order, or measure several and give the spread.");
    case Factor::kTime:
      return option("",
                    "No option holds it: the program asks for the time. Give it a fixed one "
                    "where it has a setting for that.");
    case Factor::kRandom:
      return option("",
                    "No option holds it: the program asks for random numbers. Give it a fixed "
                    "seed where it has a setting for that; tare sets those of Python and Perl.");
    case Factor::kSystem:
      return option("", "No option holds it: the program reads about the system.");
    case Factor::kThreads:
      return option("",
                    "Nothing holds it: its threads meet as they come. Use one thread, or give "
                    "the spread of many runs.");
    case Factor::kNetwork:
      return option("", "No option holds it: the program reads from the network.");
    case Factor::kUnnamed:
      return option("", "No cause is known: give the spread of many runs.");
  }
  return Fix{factor, "", ""};
}

}  // namespace

std::vector<Fix> FixesFor(const WhyReport& report) {
  std::vector<Fix> fixes;
  const auto add = [&](Factor factor) {
    if (std::ranges::find(fixes, factor, &Fix::factor) == fixes.end()) {
      fixes.push_back(FixOf(factor, report.held));
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
