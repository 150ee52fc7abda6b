// hook_cost.h: what the two hooks of -finstrument-functions cost each call of a function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "binary/decode/architecture.h"
#include "binary/elf/elf_image.h"

namespace tare::proxy {

enum class Compiler : std::uint8_t { kGcc, kClang };
std::string_view Name(Compiler compiler);

// By what the file's section .comment says of its makers; gcc where nothing tells.
Compiler CompilerOf(const elf::ElfImage& image);

// What kind of call.
enum class CallKind : std::uint8_t {
  kPlain,     // of a function without a frame
  kFramed,    // of a function that moves the stack pointer already
  kInlined,   // of a body that stands in its caller
  kTailCall,  // made by a jump; besides what the call of the callee costs
};

inline constexpr std::size_t kCallKinds = 4;

// Over the shapes of functions that were calibrated: the least, the mean and the most.
struct CostRange {
  double low = 0;
  double usual = 0;
  double high = 0;
};

// For one call: argument set-up, both calls, the stubs of the linkage table, the empty hooks of the
// C library, and what the function saves because of them.
struct HookCost {
  CostRange instructions;
  CostRange loads;
  CostRange stores;
  CostRange branches;  // conditional
};

const HookCost& CostOf(decode::Architecture architecture, Compiler compiler, CallKind kind);

}  // namespace tare::proxy
