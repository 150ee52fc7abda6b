// ledger.cc: the rules that assign a cause to a difference, in order of precedence.
#include "measure/count/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/enum_table.h"

namespace tare::count {
namespace {

constexpr auto kCauseTable = std::to_array<CauseText>({
    {Cause::kStartUp, "start-up", "the dynamic loader's work before main"},
    {Cause::kDispatch, "dispatch", "another variant of a library function was selected"},
    {Cause::kProcessor, "processor", "code that queries the processor"},
    {Cause::kVdso, "vdso", "vDSO code, which emulators do not have"},
    {Cause::kAddresses, "addresses", "code whose work depends on memory addresses"},
    {Cause::kPartialTransfers, "partial-transfers",
     "reads and writes that moved only a part of what was asked for"},
    {Cause::kUnrepeatable, "unrepeatable", "code that varies between runs"},
    {Cause::kThreads, "threads", "atomic operations of threads that wait for each other"},
    {Cause::kEngine, "engine", "code that the engine substituted"},
    {Cause::kInterrupts, "interrupts", "interrupts, each of which adds one to a hardware count"},
    {Cause::kPageFaults, "page-faults", "page faults, each of which adds one to a hardware count"},
    {Cause::kContextSwitches, "context-switches",
     "context switches, which may add to a hardware count"},
    {Cause::kControlLoads, "x87-control", "fldcw and others, which a Pentium 4 counts twice"},
    {Cause::kRepeatedStrings, "rep",
     "repeated string instructions, which the hardware counts once"},
    {Cause::kX87Precision, "x87-precision",
     "x87 arithmetic, for which Valgrind uses 64 bits instead of 80"},
    {Cause::kInstrumentation, "instrumentation", "code that tare-cc added to the program"},
    {Cause::kUninstrumented, "uninstrumented", "code that was not built by tare-cc"},
    {Cause::kBounds, "bounds", "code whose counters give only bounds"},
    {Cause::kUnexplained, "unexplained", "none of the known causes"},
});
static_assert(HasRowPerEnumerator(kCauseTable, &CauseText::cause, Cause::kUnexplained));

constexpr std::size_t kNamed = 3;

struct Difference {
  engine::FunctionKey key;
  std::string function;
  const Place* place = nullptr;
  std::int64_t amount = 0;
  std::uint64_t fewer = 0;  // instructions in the engine that counted fewer
  std::uint64_t more = 0;
  bool synchronises = false;  // has atomic operations, in a program with several threads
};

std::int64_t Instructions(const Tally& tally, const engine::FunctionKey& key) {
  const auto found = tally.functions.find(key);
  if (found == tally.functions.end()) return 0;
  return static_cast<std::int64_t>(found->second.metrics[Metric::kInstructions]);
}

bool HasAtomics(const Tally& a, const Tally& b, const engine::FunctionKey& key) {
  const auto has = [&](const Tally& tally) {
    const auto found = tally.functions.find(key);
    return found != tally.functions.end() && found->second.metrics[Metric::kAtomics] > 0;
  };
  return has(a) || has(b);
}

std::vector<Difference> Differences(const Tally& reference, const Tally& engine) {
  std::vector<Difference> differences;
  const auto add = [&](const engine::FunctionKey& key, const FunctionTally& tally) {
    const std::int64_t amount = Instructions(engine, key) - Instructions(reference, key);
    const bool synchronises =
        engine.threads > engine.processes && HasAtomics(reference, engine, key);
    if (amount != 0) {
      const auto [fewer, more] =
          std::minmax({Instructions(engine, key), Instructions(reference, key)});
      differences.push_back({key, tally.function, tally.place, amount,
                             static_cast<std::uint64_t>(fewer), static_cast<std::uint64_t>(more),
                             synchronises});
    }
  };
  for (const auto& [key, tally] : reference.functions) add(key, tally);
  for (const auto& [key, tally] : engine.functions) {
    if (!reference.functions.contains(key)) add(key, tally);
  }
  return differences;
}

std::string FileName(const std::string& object) {
  return std::filesystem::path(object).filename().string();
}

// For example "ld-linux-aarch64.so.1" and "ld-2.31.so".
bool IsLoader(const std::string& object) {
  const std::string name = FileName(object);
  return name.starts_with("ld-") && name.contains(".so");
}

bool IsEngine(const std::string& object) {
  const std::string name = FileName(object);
  return name.starts_with("tare-") || name.starts_with("vgpreload_");
}

// Applies when one engine sees only instrumented code: the cause if that engine did not count the
// function, or counted it only within bounds.
std::optional<Cause> CauseByCoverage(const Difference& difference,
                                     const engine::Coverage& coverage) {
  const auto counted = coverage.functions.find(difference.key);
  if (counted == coverage.functions.end()) {
    const bool runtime = coverage.objects.contains(difference.key.object) &&
                         difference.function.starts_with("tare_");
    return runtime ? Cause::kInstrumentation : Cause::kUninstrumented;
  }
  const engine::InstructionBounds& bounds = counted->second;
  const bool inside = bounds.low <= difference.fewer && difference.more <= bounds.high;
  if (inside) return Cause::kBounds;
  return std::nullopt;
}

Cause CauseOf(const Difference& difference, const Evidence& evidence) {
  if (evidence.coverage != nullptr) {
    if (const auto cause = CauseByCoverage(difference, *evidence.coverage)) return *cause;
  }
  if (difference.key.object == "[vdso]") return Cause::kVdso;
  if (IsEngine(difference.key.object)) return Cause::kEngine;
  if (evidence.unrepeatable.contains(difference.key)) return Cause::kUnrepeatable;
  if (IsLoader(difference.key.object)) return Cause::kStartUp;
  if (difference.place != nullptr && difference.place->dispatched) return Cause::kDispatch;
  if (difference.place != nullptr && difference.place->queries_processor) return Cause::kProcessor;
  if (difference.synchronises) return Cause::kThreads;
  if (evidence.addresses.contains(difference.key)) return Cause::kAddresses;
  return Cause::kUnexplained;
}

// Adds all direct and indirect callees: a caller whose count changes calls them more or less often.
std::set<engine::FunctionKey> WithCallees(
    std::set<engine::FunctionKey> moved, const Tally& tally,
    const std::multimap<std::string, engine::FunctionKey>& by_name) {
  std::vector<engine::FunctionKey> open(moved.begin(), moved.end());
  const auto add = [&](const engine::FunctionKey& key) {
    if (moved.insert(key).second) open.push_back(key);
  };
  while (!open.empty()) {
    const engine::FunctionKey caller = open.back();
    open.pop_back();
    if (const auto stub = tally.stubs.find(caller); stub != tally.stubs.end()) {
      const auto [first, last] = by_name.equal_range(stub->second);
      for (auto named = first; named != last; ++named) add(named->second);
    }
    if (const auto found = tally.calls.find(caller); found != tally.calls.end()) {
      for (const engine::FunctionKey& callee : found->second) add(callee);
    }
  }
  return moved;
}

// Adds the callers of changed functions: a caller's loop decides how often its callee runs, so the
// dependence may be in the caller. One level up, within a file.
std::set<engine::FunctionKey> WithCallers(const std::set<engine::FunctionKey>& moved,
                                          const Tally& tally) {
  std::set<engine::FunctionKey> with = moved;
  for (const auto& [caller, callees] : tally.calls) {
    if (std::ranges::any_of(callees, [&](const auto& callee) { return moved.contains(callee); })) {
      with.insert(caller);
    }
  }
  return with;
}

// Functions that call, or are called by, functions with evidence. They explain a difference that no
// other rule explains.
struct Wake {
  std::set<engine::FunctionKey> unrepeatable;
  std::set<engine::FunctionKey> addresses;
  std::set<engine::FunctionKey> x87;
  std::set<engine::FunctionKey> transfers;
};

// The functions that executed x87 instructions.
std::set<engine::FunctionKey> WithX87(const Tally& tally) {
  std::set<engine::FunctionKey> found;
  for (const auto& [key, function] : tally.functions) {
    if (function.metrics[Metric::kX87] > 0) found.insert(key);
  }
  return found;
}

// The functions that made system calls, and the stubs that lead to them.
std::set<engine::FunctionKey> WithSystemCalls(
    const Tally& tally, const std::multimap<std::string, engine::FunctionKey>& by_name) {
  std::set<engine::FunctionKey> found;
  for (const auto& [key, function] : tally.functions) {
    if (function.metrics[Metric::kSystemCalls] > 0) found.insert(key);
  }
  for (const auto& [stub, name] : tally.stubs) {
    const auto [first, last] = by_name.equal_range(name);
    if (std::any_of(first, last, [&](const auto& named) { return found.contains(named.second); }))
      found.insert(stub);
  }
  return found;
}

Wake WakeOf(const Tally& tally, const Evidence& evidence) {
  std::multimap<std::string, engine::FunctionKey> by_name;
  for (const auto& [key, function] : tally.functions) by_name.emplace(function.function, key);
  const auto wake_of = [&](const std::set<engine::FunctionKey>& moved) {
    return WithCallees(WithCallers(moved, tally), tally, by_name);
  };
  return {wake_of(evidence.unrepeatable), wake_of(evidence.addresses),
          evidence.x87_precision ? wake_of(WithX87(tally)) : std::set<engine::FunctionKey>{},
          evidence.partial_transfers ? wake_of(WithSystemCalls(tally, by_name))
                                     : std::set<engine::FunctionKey>{}};
}

std::string Where(std::vector<Difference> differences) {
  std::ranges::sort(differences, std::ranges::greater{},
                    [](const Difference& difference) { return std::abs(difference.amount); });
  std::string where;
  for (std::size_t i = 0; i < differences.size() && i < kNamed; ++i) {
    const Difference& difference = differences[i];
    const std::string dispatched = difference.place != nullptr && difference.place->dispatched
                                       ? fmt::format(" (a {})", difference.place->dispatched_name)
                                       : "";
    where += fmt::format("{}{}:{}{} {:+}", i == 0 ? "" : ", ", FileName(difference.key.object),
                         elf::Demangled(difference.function), dispatched, difference.amount);
  }
  if (differences.size() > kNamed) {
    where += fmt::format(" and {} more", differences.size() - kNamed);
  }
  return where;
}

}  // namespace

std::span<const CauseText> CauseTable() { return kCauseTable; }

const CauseText& Text(Cause cause) { return kCauseTable[static_cast<std::size_t>(cause)]; }

std::set<engine::FunctionKey> Moved(const Tally& a, const Tally& b) {
  std::set<engine::FunctionKey> moved;
  for (const Difference& difference : Differences(a, b)) moved.insert(difference.key);
  return moved;
}

Ledger Explain(const Tally& reference, const Tally& engine, const Evidence& evidence) {
  Ledger ledger;
  std::map<Cause, std::vector<Difference>> by_cause;
  const Wake wake = WakeOf(reference, evidence);
  for (Difference& difference : Differences(reference, engine)) {
    ledger.total += difference.amount;
    Cause cause = CauseOf(difference, evidence);
    if (cause == Cause::kUnexplained && wake.unrepeatable.contains(difference.key)) {
      cause = Cause::kUnrepeatable;
    } else if (cause == Cause::kUnexplained && wake.addresses.contains(difference.key)) {
      cause = Cause::kAddresses;
    } else if (cause == Cause::kUnexplained && wake.x87.contains(difference.key)) {
      cause = Cause::kX87Precision;
    }
    // A name for what does not repeat, or is not known otherwise.
    const bool has_name = cause != Cause::kUnrepeatable && cause != Cause::kUnexplained;
    if (!has_name && wake.transfers.contains(difference.key)) cause = Cause::kPartialTransfers;
    by_cause[cause].push_back(std::move(difference));
  }
  for (auto& [cause, differences] : by_cause) {
    LedgerEntry entry;
    entry.cause = cause;
    entry.functions = differences.size();
    for (const Difference& difference : differences) {
      entry.difference += difference.amount;
      if (cause == Cause::kUnexplained) {
        ledger.unexplained_moves += static_cast<std::uint64_t>(std::abs(difference.amount));
      }
    }
    if (cause == Cause::kUnexplained) ledger.unexplained = entry.difference;
    entry.where = Where(std::move(differences));
    ledger.entries.push_back(std::move(entry));
  }
  std::ranges::sort(ledger.entries, std::ranges::greater{},
                    [](const LedgerEntry& entry) { return std::abs(entry.difference); });
  return ledger;
}

}  // namespace tare::count
