// mix_comparison.h: comparing two builds of a program by function and by call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "binary/mix/file_mix.h"
#include "binary/mix/measurement_interface.h"

namespace tare::mix {

// All functions with one base name: foo, foo.isra.0, foo.cold, and others of the same name.
struct FunctionGroup {
  std::vector<std::uint32_t> functions;
  Counts counts = {};
  std::uint64_t interface_calls = 0;
};

// The functions of one name in both files. Stubs form one row, and so do functions without a
// symbol.
struct FunctionPair {
  std::string name;
  FunctionGroup first;
  FunctionGroup second;

  bool InBoth() const { return !first.functions.empty() && !second.functions.empty(); }
};

// Why the number of call sites from one function to another differs between the files.
enum class CallReason : std::uint8_t {
  kMeasurement,     // the second file calls a measurement interface
  kInliningLost,    // the first file has the callee inlined there
  kInliningGained,  // the second file has the callee inlined there
  kMoved,           // the call is in another function, because its caller is or was inlined
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
  bool proved = false;  // confirmed by debug information

  std::int64_t Difference() const {
    return static_cast<std::int64_t>(second) - static_cast<std::int64_t>(first);
  }
};

// A function of only one file.
struct LoneFunction {
  std::size_t pair = 0;  // index into `pairs`
  bool in_first = false;
  std::uint64_t calls = 0;                         // call sites of it in its file
  std::optional<std::uint64_t> inlined_elsewhere;  // how often the other file inlines it
  bool of_interface = false;
};

struct Comparison {
  std::vector<FunctionPair> pairs;    // by name
  std::vector<CallChange> calls;      // largest differences first
  std::uint64_t unchanged_calls = 0;  // sites in both files
  std::vector<LoneFunction> lone;     // by instructions, in descending order
};

Comparison Compare(const FileMix& first, const FileMix& second,
                   const MeasurementInterface& measurement, const InterfaceUses& first_uses,
                   const InterfaceUses& second_uses);

}  // namespace tare::mix
