// known_loop.cc: the loops, in assembly so that no compiler changes their counts.
#include "machine/pmu/known_loop.h"

#include "base/check.h"

namespace tare::pmu {
namespace {

constexpr std::uint64_t kInstructionsPerIteration = 4;

#if !defined(__aarch64__) && !defined(__x86_64__)
#error "the known loops are written for x86-64 and AArch64"
#endif

void PlainLoop(std::uint64_t iterations) {
  std::uint64_t cell = 0;
  std::uint64_t value = 0;
#if defined(__aarch64__)
  asm volatile(
      "1: ldr %1, [%2]\n"
      "   str %1, [%2]\n"
      "   subs %0, %0, #1\n"
      "   b.ne 1b\n"
      : "+&r"(iterations), "=&r"(value)
      : "r"(&cell)
      : "cc", "memory");
#else
  asm volatile(
      "1: movq (%2), %1\n"
      "   movq %1, (%2)\n"
      "   subq $1, %0\n"
      "   jnz 1b\n"
      : "+&r"(iterations), "=&r"(value)
      : "r"(&cell)
      : "cc", "memory");
#endif
}

// Bit 32 of Marsaglia's xorshift generator (13, 7, 17) decides the branch of each iteration.
void ErraticLoop(std::uint64_t iterations) {
  std::uint64_t state = 0x9E3779B97F4A7C15;
#if defined(__aarch64__)
  asm volatile(
      "1: eor %1, %1, %1, lsl #13\n"
      "   eor %1, %1, %1, lsr #7\n"
      "   eor %1, %1, %1, lsl #17\n"
      "   tbz %1, #32, 2f\n"
      "   nop\n"
      "2: subs %0, %0, #1\n"
      "   b.ne 1b\n"
      : "+&r"(iterations), "+&r"(state)
      :
      : "cc");
#else
  std::uint64_t shifted = 0;
  asm volatile(
      "1: movq %1, %2\n"
      "   shlq $13, %2\n"
      "   xorq %2, %1\n"
      "   movq %1, %2\n"
      "   shrq $7, %2\n"
      "   xorq %2, %1\n"
      "   movq %1, %2\n"
      "   shlq $17, %2\n"
      "   xorq %2, %1\n"
      "   btq $32, %1\n"
      "   jnc 2f\n"
      "   nop\n"
      "2: subq $1, %0\n"
      "   jnz 1b\n"
      : "+&r"(iterations), "+&r"(state), "=&r"(shifted)
      :
      : "cc");
#endif
}

KnownCount About(std::uint64_t count) {
  const std::uint64_t room = count / 100;
  return {.low = count - room, .high = count + room};
}

}  // namespace

void RunKnownLoop(LoopPart part, std::uint64_t iterations) {
  CHECK(iterations > 0);
  if (part == LoopPart::kMispredictions) {
    ErraticLoop(iterations);
  } else {
    PlainLoop(iterations);
  }
}

KnownCount KnownCountOf(LoopPart part, std::uint64_t iterations) {
  switch (part) {
    case LoopPart::kInstructions:
      return About(kInstructionsPerIteration * iterations);
    case LoopPart::kBranches:
    case LoopPart::kLoads:
    case LoopPart::kStores:
      return About(iterations);
    case LoopPart::kCycles:
      // At best one taken branch per cycle; emulated processors take many cycles per iteration.
      return {.low = iterations - iterations / 100, .high = 64 * iterations};
    case LoopPart::kMispredictions:
      // Any predictor mispredicts half of the branches; some events count wrong paths too.
      return {.low = iterations * 2 / 5, .high = iterations * 3 / 4};
    case LoopPart::kNothing:
      break;
  }
  CHECK(part != LoopPart::kNothing);
  return {};
}

}  // namespace tare::pmu
