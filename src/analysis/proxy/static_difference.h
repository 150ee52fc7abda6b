// static_difference.h: what two builds of a program differ by, function by function, in code and in
// what ran of it, and which part of the difference the measuring made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "binary/mix/file_mix.h"
#include "measure/count/tally.h"

namespace tare::proxy {

// Of code, of what ran, or of a difference between two of them.
struct Amounts {
  std::int64_t instructions = 0;
  std::int64_t loads = 0;  // memory operands read, as `tare count` counts them
  std::int64_t stores = 0;
  std::int64_t branches = 0;  // conditional
  std::int64_t calls = 0;

  Amounts& operator+=(const Amounts& other);
  Amounts& operator-=(const Amounts& other);
  bool operator==(const Amounts&) const = default;
};

enum class Cause : std::uint8_t {
  kHookCalls,  // the calls of the measuring interface themselves: sites times executions
  kHookCode,   // what those calls run: stubs of the linkage table and the interface's functions
  kAround,     // of functions that call it and inline as before: arguments, saved registers, frames
  kInlining,   // of functions whose calls were inlined in one of the two builds only
  kRest,       // nothing of the above explains it: libraries, the loader, code without names
};
inline constexpr std::size_t kCauses = 5;
struct CauseText {
  std::string_view id;
  std::string_view meaning;
};
const CauseText& TextOf(Cause cause);

using Parts = std::array<Amounts, kCauses>;  // in the order of Cause

// One name in both builds, as mix::Compare pairs them, or in both runs of another object.
struct FunctionDifference {
  std::string function;  // as shown to people
  std::string object;    // file name without directories; empty for the program itself
  bool in_vanilla = false;
  bool in_instrumented = false;
  // The code of the program itself; all 0 for other objects, which both runs share.
  Amounts vanilla_code;
  Amounts instrumented_code;
  std::int64_t hook_sites = 0;  // in the instrumented code
  // What ran.
  Amounts vanilla;
  Amounts instrumented;
  Parts parts = {};  // they add up to instrumented - vanilla

  Amounts Difference() const;
};

struct StaticDifference {
  std::vector<FunctionDifference> functions;  // by the size of the difference, largest first
  Amounts vanilla;                            // of the whole runs
  Amounts instrumented;
  Parts parts = {};             // they add up to instrumented - vanilla, exactly
  std::int64_t hook_calls = 0;  // executed
  bool with_debug = false;      // both have debug information: lost inlining is proved, not guessed

  Amounts Difference() const;
};

// `vanilla_run` and `instrumented_run` are counts of the two files by the same engine. Functions
// that neither ran nor differ in their code are left out. `interface` is as for
// mix::MeasurementInterface. Errors: kUsage for a bad pattern, kUnsupported for two architectures.
Result<StaticDifference> Differ(const mix::FileMix& vanilla, const count::Tally& vanilla_run,
                                const mix::FileMix& instrumented,
                                const count::Tally& instrumented_run,
                                const std::string& interface = "");

}  // namespace tare::proxy
