// mixed_loop_a64.cc: mixed microbenchmarks in AArch64 assembly.
#include "machine/microbenchmark/mixed_loop.h"

#if defined(__aarch64__)

#include <array>

#include "machine/microbenchmark/walk.h"

namespace tare::microbenchmark {

#define TARE_SIX_ADDITIONS             \
  ".irp register, 9,10,11,12,13,14\n"  \
  "add x\\register, x\\register, #1\n" \
  ".endr\n"
#define TARE_0_ADDITIONS ""
#define TARE_6_ADDITIONS TARE_SIX_ADDITIONS
#define TARE_24_ADDITIONS \
  TARE_SIX_ADDITIONS TARE_SIX_ADDITIONS TARE_SIX_ADDITIONS TARE_SIX_ADDITIONS
#define TARE_96_ADDITIONS TARE_24_ADDITIONS TARE_24_ADDITIONS TARE_24_ADDITIONS TARE_24_ADDITIONS

#define TARE_RANDOM_PLACE                   \
  "mul %[state], %[state], %[multiplier]\n" \
  "and %[place], %[mask], %[state], lsr #20\n"
// The offset is counted downwards: additions of the loop are those of the work.
#define TARE_STREAM_PLACE         \
  "sub %[state], %[state], #64\n" \
  "and %[place], %[state], %[mask]\n"

#define TARE_LINES(NAME, PLACE, WORK)                                       \
  TARE_MICROBENCHMARK void NAME(const std::byte* base, std::uint64_t mask,  \
                                std::uint64_t iterations) {                 \
    std::uint64_t state = kMultiplier;                                      \
    std::uint64_t place = 0;                                                \
    std::uint64_t data = 0;                                                 \
    asm volatile(                                                           \
        ".p2align 6\n"                                                      \
        "1:\n" PLACE "ldr %[data], [%[base], %[place]]\n" WORK              \
        "subs %[iterations], %[iterations], #1\n"                           \
        "b.ne 1b\n"                                                         \
        : [state] "+&r"(state), [place] "+&r"(place), [data] "=&r"(data),   \
          [iterations] "+&r"(iterations)                                    \
        : [base] "r"(base), [mask] "r"(mask), [multiplier] "r"(kMultiplier) \
        : "x9", "x10", "x11", "x12", "x13", "x14", "cc", "memory");         \
  }

#define TARE_BOTH_LINES(COUNT)                                                       \
  TARE_LINES(tare_lines_stream_##COUNT, TARE_STREAM_PLACE, TARE_##COUNT##_ADDITIONS) \
  TARE_LINES(tare_lines_random_##COUNT, TARE_RANDOM_PLACE, TARE_##COUNT##_ADDITIONS)

TARE_BOTH_LINES(0)
TARE_BOTH_LINES(6)
TARE_BOTH_LINES(24)
TARE_BOTH_LINES(96)

// 12 instructions: 3 additions of integers and 3 of floating-point numbers, 3 loads, 1 store, and a
// comparison with its branch. No unit is busier than the front end of a core that is eight wide.
TARE_MICROBENCHMARK void tare_mixed_instructions(std::byte* place, std::uint64_t iterations) {
  asm volatile(
      "mov x9, #1\n"
      "fmov d0, #1.0\n"
      "fmov d1, #1.0\n"
      ".p2align 6\n"
      "1:\n"
      ".rept 8\n"
      "add x10, x10, x9\n"
      "ldr x11, [%[place]]\n"
      "fadd d2, d0, d1\n"
      "add x12, x12, x9\n"
      "cmp x9, #0\n"
      "b.eq 2f\n"
      "ldr x14, [%[place], #8]\n"
      "fadd d3, d0, d1\n"
      "add x13, x11, #8\n"
      "str x13, [%[place], #32]\n"
      "fadd d4, d0, d1\n"
      "ldr x16, [%[place], #16]\n"
      ".endr\n"
      "subs %[iterations], %[iterations], #1\n"
      "b.ne 1b\n"
      "2:\n"
      : [iterations] "+&r"(iterations)
      : [place] "r"(place)
      : "x9", "x10", "x11", "x12", "x13", "x14", "x16", "d0", "d1", "d2", "d3", "d4", "cc",
        "memory");
}

TARE_MICROBENCHMARK void tare_loads_with_stores(std::byte* place, std::uint64_t iterations) {
  asm volatile(
      "mov x9, #1\n"
      ".p2align 6\n"
      "1:\n"
      ".rept 8\n"
      "ldr x10, [%[place]]\n"
      "ldr x11, [%[place], #8]\n"
      "str x9, [%[place], #32]\n"
      ".endr\n"
      "subs %[iterations], %[iterations], #1\n"
      "b.ne 1b\n"
      : [iterations] "+&r"(iterations)
      : [place] "r"(place)
      : "x9", "x10", "x11", "cc", "memory");
}

TARE_MICROBENCHMARK void tare_store_forwarding(std::byte* place, std::uint64_t iterations) {
  std::uint64_t value = 1;
  asm volatile(
      ".p2align 6\n"
      "1:\n"
      ".rept 16\n"
      "str %[value], [%[place]]\n"
      "ldr %[value], [%[place]]\n"
      ".endr\n"
      "subs %[iterations], %[iterations], #1\n"
      "b.ne 1b\n"
      : [iterations] "+&r"(iterations), [value] "+&r"(value)
      : [place] "r"(place)
      : "cc", "memory");
}

std::span<const LineLoop> LineLoops() {
#define TARE_LINE_ROWS(COUNT)                                                                \
  LineLoop{false, COUNT, {"tare_lines_stream_" #COUNT, 8, 1, 0}, tare_lines_stream_##COUNT}, \
      LineLoop {                                                                             \
    true, COUNT, {"tare_lines_random_" #COUNT, 8, 1, 0}, tare_lines_random_##COUNT           \
  }
  static constexpr std::array kLoops = {TARE_LINE_ROWS(0), TARE_LINE_ROWS(6), TARE_LINE_ROWS(24),
                                        TARE_LINE_ROWS(96)};
  return kLoops;
}

const InstructionMix& MixedInstructions() {
  static constexpr InstructionMix kMix = {
      8 * 12 + 2, 8 + 1, {"tare_mixed_instructions", 8, 24, 8}, tare_mixed_instructions};
  return kMix;
}

const InstructionMix& LoadsWithStores() {
  static constexpr InstructionMix kMix = {
      8 * 3 + 2, 1, {"tare_loads_with_stores", 8, 16, 8}, tare_loads_with_stores};
  return kMix;
}

const ForwardingChain& StoreForwarding() {
  static constexpr ForwardingChain kChain = {
      16, {"tare_store_forwarding", 8, 16, 16}, tare_store_forwarding};
  return kChain;
}

}  // namespace tare::microbenchmark

#endif
