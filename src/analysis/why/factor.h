// factor.h: what may move a program's counts or its time.
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
  kName,
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
  // These can be named and not varied.
  kThreads,
  kNetwork,
  kUnnamed,
};

// What somebody who wants repeatable numbers can do about it.
enum class Nature {
  kSurroundings,  // hold it fixed when the program is started
  kMachine,       // hold the machine quiet
  kBinary,        // a property of the file: build it the same way
  kTold,          // the program asks for it: only the program, or a recording, can hold it
};

struct FactorText {
  Factor factor;
  std::string_view id;    // a word of the contract with readers of the JSON
  std::string_view what;  // "the position of the stack"
  Nature nature;
};

const FactorText& Text(Factor factor);

std::string_view Name(Nature nature);

// "the position of the stack and the environment's size".
std::string InWords(std::span<const Factor> factors);

// The level of every factor that is not held: 1 and on.
using Levels = std::map<Factor, unsigned>;

// A factor that can be varied here, and how many levels it has besides the held one.
struct Choice {
  Factor factor;
  unsigned levels = 1;
};

}  // namespace tare::why
