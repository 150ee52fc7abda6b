// mix_comparison.h: two builds of a program, function by function and call by call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "binary/mix/file_mix.h"
#include "binary/mix/measurement_interface.h"

namespace tare::mix {

// All functions of one base name: foo, foo.isra.0, foo.cold, and others of the same name.
struct FunctionGroup {
  std::vector<std::uint32_t> functions;
  Counts counts = {};
  std::uint64_t interface_calls = 0;
};

// What both files have of one name. Stubs, and functions that the file does not name, are one row
// each.
struct FunctionPair {
  std::string name;
  FunctionGroup first;
  FunctionGroup second;

  bool InBoth() const { return !first.functions.empty() && !second.functions.empty(); }
};

// Why one file has more call sites from a function to another than the other file.
enum class CallReason : std::uint8_t {
  kMeasurement,     // the second calls the interface that measures
  kInliningLost,    // the first had the callee's body there instead
  kInliningGained,  // the second has the callee's body there instead
  kMoved,           // the call stands in another function, because that one is or was inlined
  kAdded,
  kRemoved,
};
struct CallReasonText {
  std::string_view id;
  std::string_view meaning;
};
const CallReasonText& TextOf(CallReason reason);
inline constexpr std::size_t kCallReasons = 6;

struct CallChange {
  std::string caller;
  std::string callee;  // empty for calls through pointers
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  CallReason reason = CallReason::kAdded;
  bool proved = false;  // debug information says so

  std::int64_t Difference() const {
    return static_cast<std::int64_t>(second) - static_cast<std::int64_t>(first);
  }
};

// A function that one file lacks.
struct LoneFunction {
  std::size_t pair = 0;  // in `pairs`
  bool in_first = false;
  std::uint64_t calls = 0;                         // call sites that lead to it in its file
  std::optional<std::uint64_t> inlined_elsewhere;  // times that the other file has its body inlined
  bool of_interface = false;
};

struct Comparison {
  std::vector<FunctionPair> pairs;    // by name
  std::vector<CallChange> calls;      // largest differences first
  std::uint64_t unchanged_calls = 0;  // sites that both have
  std::vector<LoneFunction> lone;     // by instructions, most first
};

Comparison Compare(const FileMix& first, const FileMix& second,
                   const MeasurementInterface& measurement, const InterfaceUses& first_uses,
                   const InterfaceUses& second_uses);

}  // namespace tare::mix
