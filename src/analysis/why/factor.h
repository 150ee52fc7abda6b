// factor.h: the factors that may change a program's counts or time.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tare::why {

enum class Factor {
  kStack,
  kHeap,
  kMappings,
  kRandomization,
  kEnvironment,
  kArgv0,
  kDirectory,
  kDispatch,
  kProcessId,
  kTime,
  kRandom,
  kSystem,
  kHugePages,
  kCore,
  kNeighbour,
  kPageCache,
  kStatic,
  kLinkOrder,
  // These can be reported but not varied.
  kThreads,
  kNetwork,
  kUnnamed,
};

// What the user can do to make a factor repeatable.
enum class Nature {
  kSetup,        // fix it when starting the program
  kMachine,      // keep the machine quiet
  kBinary,       // a property of the file: build it the same way
  kSystemInput,  // a system input: only the program, or replaying a log, can fix it
};

struct FactorText {
  Factor factor;
  std::string_view id;    // stable identifier in the JSON output
  std::string_view what;  // "the stack address"
  Nature nature;
  bool plural = false;  // of `what`
};

const FactorText& Text(Factor factor);

std::string_view Name(Nature nature);

// For example "the stack address and the size of the environment".
std::string InWords(std::span<const Factor> factors);

// The level, 1 or greater, of every factor that is not fixed.
using Levels = std::map<Factor, unsigned>;

// A factor that can be varied here, and its number of levels in addition to the fixed one.
struct FactorLevels {
  Factor factor;
  unsigned levels = 1;
};

}  // namespace tare::why
