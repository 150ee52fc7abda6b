// factor.cc: the table of factors.
#include "analysis/why/factor.h"

#include <array>
#include <cstddef>

#include "base/enum_table.h"

namespace tare::why {
namespace {

// In the order of the enumeration.
constexpr std::array kTable = {
    FactorText{Factor::kStack, "stack", "where the stack lies", Nature::kSurroundings},
    FactorText{Factor::kHeap, "heap", "where the heap lies", Nature::kSurroundings},
    FactorText{Factor::kMappings, "mappings", "where libraries and large blocks are mapped",
               Nature::kSurroundings},
    FactorText{Factor::kRandomization, "randomization", "address randomization",
               Nature::kSurroundings},
    FactorText{Factor::kEnvironment, "environment", "the size of the environment",
               Nature::kSurroundings},
    FactorText{Factor::kName, "name", "the length of the program's path", Nature::kSurroundings},
    FactorText{Factor::kDirectory, "directory", "the length of the directory's path",
               Nature::kSurroundings},
    FactorText{Factor::kDispatch, "dispatch", "the versions of functions chosen by processor",
               Nature::kSurroundings},
    FactorText{Factor::kProcessId, "process-id", "the process id", Nature::kTold},
    FactorText{Factor::kTime, "time", "the time that it is told", Nature::kTold},
    FactorText{Factor::kRandom, "random", "the random numbers that it is given", Nature::kTold},
    FactorText{Factor::kSystem, "system", "what it reads about the system (/proc, /sys)",
               Nature::kTold},
    FactorText{Factor::kHugePages, "huge-pages", "huge pages", Nature::kSurroundings},
    FactorText{Factor::kCore, "core", "being held on one core", Nature::kMachine},
    FactorText{Factor::kNeighbour, "neighbour", "a busy neighbour", Nature::kMachine},
    FactorText{Factor::kPageCache, "page-cache", "files read from the disk again",
               Nature::kMachine},
    FactorText{Factor::kStatic, "static", "static against dynamic linking", Nature::kBinary},
    FactorText{Factor::kLinkOrder, "link-order", "the order of linking", Nature::kBinary},
    FactorText{Factor::kThreads, "threads", "how its threads meet", Nature::kTold},
    FactorText{Factor::kNetwork, "network", "what comes over the network", Nature::kTold},
    FactorText{Factor::kUnnamed, "unnamed", "something that has no name here", Nature::kTold},
};
static_assert(HasRowPerEnumerator(kTable, &FactorText::factor, Factor::kUnnamed));

}  // namespace

const FactorText& Text(Factor factor) { return kTable[static_cast<std::size_t>(factor)]; }

std::string_view Name(Nature nature) {
  switch (nature) {
    case Nature::kSurroundings:
      return "surroundings";
    case Nature::kMachine:
      return "machine";
    case Nature::kBinary:
      return "binary";
    case Nature::kTold:
      return "told";
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
