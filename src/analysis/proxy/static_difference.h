// static_difference.h: the differences between two builds of a program by function, in code and in
// executions, and the part caused by the measurement interface.
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

// Of code, of executions, or of a difference between two of them.
struct Amounts {
  std::int64_t instructions = 0;
  std::int64_t loads = 0;  // memory operands read, as in `tare count`
  std::int64_t stores = 0;
  std::int64_t branches = 0;  // conditional
  std::int64_t calls = 0;

  Amounts& operator+=(const Amounts& other);
  Amounts& operator-=(const Amounts& other);
  bool operator==(const Amounts&) const = default;
};

enum class Cause : std::uint8_t {
  kHookCalls,  // the calls of the measurement interface: sites times executions
  kHookCode,   // the code that those calls run: PLT stubs and the interface's functions
  kAround,    // functions that call it, with unchanged inlining: arguments, saved registers, frames
  kInlining,  // functions whose calls were inlined in only one of the builds
  kRest,      // anything else: libraries, the loader, code without names
};
inline constexpr std::size_t kCauses = 5;
struct CauseText {
  std::string_view id;
  std::string_view meaning;
};
const CauseText& TextOf(Cause cause);

using Parts = std::array<Amounts, kCauses>;  // in the order of Cause

// One function name in both builds, as mix::Compare pairs them, or in both runs of another object.
struct FunctionDifference {
  std::string function;  // display name
  std::string object;    // file name without directories; empty for the program itself
  bool in_vanilla = false;
  bool in_instrumented = false;
  // The program's own code; all 0 for other objects, which both runs share.
  Amounts vanilla_code;
  Amounts instrumented_code;
  std::int64_t hook_sites = 0;  // in the instrumented code
  // Executed amounts.
  Amounts vanilla;
  Amounts instrumented;
  Parts parts = {};  // their sum is instrumented - vanilla

  Amounts Difference() const;
};

struct StaticDifference {
  std::vector<FunctionDifference> functions;  // by size of the difference, largest first
  Amounts vanilla;                            // of the whole runs
  Amounts instrumented;
  Parts parts = {};             // their sum is exactly instrumented - vanilla
  std::int64_t hook_calls = 0;  // executed
  bool with_debug = false;  // both have debug information: lost inlining is proved, not inferred

  Amounts Difference() const;
};

// `vanilla_run` and `instrumented_run` are counts of the two files by the same engine. Functions
// that neither ran nor differ in their code are omitted. `interface` is as for
// mix::MeasurementInterface. kUsage for a bad pattern, kUnsupported for two architectures.
Result<StaticDifference> Differ(const mix::FileMix& vanilla, const count::Tally& vanilla_run,
                                const mix::FileMix& instrumented,
                                const count::Tally& instrumented_run,
                                const std::string& interface = "");

}  // namespace tare::proxy
