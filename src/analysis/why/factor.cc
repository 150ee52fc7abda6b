// factor.cc: the table of factors.
#include "analysis/why/factor.h"

#include <array>
#include <cstddef>

#include "base/enum_table.h"

namespace tare::why {
namespace {

// In the order of the enumeration.
constexpr std::array kTable = {
    FactorText{Factor::kStack, "stack", "the stack address", Nature::kSetup},
    FactorText{Factor::kHeap, "heap", "the heap address", Nature::kSetup},
    FactorText{Factor::kMappings, "mappings", "the addresses of libraries and large mappings",
               Nature::kSetup, true},
    FactorText{Factor::kRandomization, "randomization", "address randomization", Nature::kSetup},
    FactorText{Factor::kEnvironment, "environment", "the size of the environment", Nature::kSetup},
    FactorText{Factor::kArgv0, "argv0", "the length of argv[0]", Nature::kSetup},
    FactorText{Factor::kDirectory, "directory", "the length of the working directory's path",
               Nature::kSetup},
    FactorText{Factor::kDispatch, "dispatch", "function versions selected by processor features",
               Nature::kSetup, true},
    FactorText{Factor::kProcessId, "process-id", "the process ID", Nature::kSystemInput},
    FactorText{Factor::kTime, "time", "the time that it reads", Nature::kSystemInput},
    FactorText{Factor::kRandom, "random", "the random numbers that it reads", Nature::kSystemInput,
               true},
    FactorText{Factor::kSystem, "system", "what it reads about the system (/proc, /sys)",
               Nature::kSystemInput},
    FactorText{Factor::kHugePages, "huge-pages", "huge pages", Nature::kSetup, true},
    FactorText{Factor::kCore, "core", "being pinned to one core", Nature::kMachine},
    FactorText{Factor::kNeighbour, "neighbour", "a busy neighbour process", Nature::kMachine},
    FactorText{Factor::kPageCache, "page-cache", "files that are not in the page cache",
               Nature::kMachine, true},
    FactorText{Factor::kStatic, "static", "static instead of dynamic linking", Nature::kBinary},
    FactorText{Factor::kLinkOrder, "link-order", "the link order", Nature::kBinary},
    FactorText{Factor::kThreads, "threads", "thread scheduling", Nature::kSystemInput},
    FactorText{Factor::kNetwork, "network", "data from the network", Nature::kSystemInput},
    FactorText{Factor::kUnnamed, "unnamed", "an unknown cause", Nature::kSystemInput},
};
static_assert(HasRowPerEnumerator(kTable, &FactorText::factor, Factor::kUnnamed));

}  // namespace

const FactorText& Text(Factor factor) { return kTable[static_cast<std::size_t>(factor)]; }

std::string_view Name(Nature nature) {
  switch (nature) {
    case Nature::kSetup:
      return "setup";
    case Nature::kMachine:
      return "machine";
    case Nature::kBinary:
      return "binary";
    case Nature::kSystemInput:
      return "system-input";
  }
  return "";
}

std::string InWords(std::span<const Factor> factors) {
  std::string words;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (i > 0) words += i + 1 == factors.size() ? " and " : ", ";
    words += Text(factors[i]).what;
  }
  return words;
}

}  // namespace tare::why
