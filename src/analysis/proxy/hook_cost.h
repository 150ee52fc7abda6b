// hook_cost.h: the cost of the two hooks of -finstrument-functions per call of a function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "binary/decode/architecture.h"
#include "binary/elf/elf_image.h"

namespace tare::proxy {

enum class Compiler : std::uint8_t { kGcc, kClang };
std::string_view Name(Compiler compiler);

// According to the file's .comment section; gcc if that does not say.
Compiler CompilerOf(const elf::ElfImage& image);

// The kind of a call.
enum class CallKind : std::uint8_t {
  kPlain,     // of a function without a stack frame
  kFramed,    // of a function that already adjusts the stack pointer
  kInlined,   // of a body that was inlined into its caller
  kTailCall,  // by a jump; in addition to the cost of the callee's own call
};

inline constexpr std::size_t kCallKinds = 4;

// Minimum, mean and maximum over the calibrated shapes of functions.
struct CostRange {
  double low = 0;
  double usual = 0;
  double high = 0;
};

// Per call: argument set-up, both calls, the PLT stubs, the empty hooks of the C library, and what
// the function saves because of them.
struct HookCost {
  CostRange instructions;
  CostRange loads;
  CostRange stores;
  CostRange branches;  // conditional
};

const HookCost& CostOf(decode::Architecture architecture, Compiler compiler, CallKind kind);

}  // namespace tare::proxy
