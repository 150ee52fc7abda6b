// ledger.h: where the difference between two engines' counts comes from, function by function.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/count/tally.h"
#include "measure/engine/coverage.h"

namespace tare::count {

enum class Cause {
  kStartUp,
  kDispatch,
  kProcessor,
  kVdso,
  kAddresses,
  kUnrepeatable,
  kThreads,
  kEngine,
  kKernel,
  kInstrumentation,
  kUninstrumented,
  kBounds,
  kUnexplained,
};

struct CauseText {
  Cause cause;
  std::string_view id;
  std::string_view meaning;
};

std::span<const CauseText> CauseTable();
const CauseText& Text(Cause cause);

// What was seen to move the counts within one engine.
struct Evidence {
  std::set<engine::FunctionKey> unrepeatable;  // nothing was changed
  std::set<engine::FunctionKey> addresses;     // memory lay elsewhere, nothing else was changed
  bool addresses_tried = false;
  const engine::Coverage* coverage = nullptr;  // of the one of the two that does not see everything
};

struct LedgerEntry {
  Cause cause = Cause::kUnexplained;
  std::int64_t difference = 0;  // instructions, engine less reference
  std::size_t functions = 0;
  std::string where;  // the functions that differ most
};

struct Ledger {
  std::int64_t total = 0;
  std::int64_t unexplained = 0;
  std::uint64_t unexplained_moves = 0;  // sum of the absolute differences
  std::vector<LedgerEntry> entries;     // the largest first; none for a cause without part in it
};

Ledger Explain(const Tally& reference, const Tally& engine, const Evidence& evidence);

// The functions that ran another number of instructions.
std::set<engine::FunctionKey> Moved(const Tally& a, const Tally& b);

}  // namespace tare::count
