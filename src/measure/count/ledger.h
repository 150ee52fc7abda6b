// ledger.h: breaks the difference between two engines' counts down by cause, function by function.
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
  kPartialTransfers,
  kUnrepeatable,
  kThreads,
  kEngine,
  kInterrupts,
  kPageFaults,
  kContextSwitches,
  kControlLoads,
  kRepeatedStrings,
  kX87Precision,
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

// Functions whose counts changed between runs of one engine.
struct Evidence {
  std::set<engine::FunctionKey> unrepeatable;  // between runs of the same setup
  std::set<engine::FunctionKey> addresses;     // between runs that differ only in memory addresses
  bool addresses_tried = false;
  // The two runs had other reads and writes that moved only a part of what was asked for.
  bool partial_transfers = false;
  bool x87_precision = false;  // one engine computes in 80 bits with the x87 unit, the other in 64
  const engine::Coverage* coverage =
      nullptr;  // of whichever of the two engines sees only instrumented code
};

struct LedgerEntry {
  Cause cause = Cause::kUnexplained;
  std::int64_t difference = 0;  // instructions, engine minus reference
  std::size_t functions = 0;
  std::string where;  // the functions with the largest differences
};

struct Ledger {
  std::int64_t total = 0;
  std::int64_t unexplained = 0;
  std::uint64_t unexplained_moves = 0;  // sum of the absolute differences
  std::vector<LedgerEntry> entries;     // largest first; causes without a contribution are absent
};

Ledger Explain(const Tally& reference, const Tally& engine, const Evidence& evidence);

// The functions whose instruction counts differ.
std::set<engine::FunctionKey> Moved(const Tally& a, const Tally& b);

}  // namespace tare::count
