// mixed_loop_x86.cc: mixed microbenchmarks in x86-64 assembly.
#include "machine/microbenchmark/mixed_loop.h"

#if defined(__x86_64__)

#include <array>

#include "machine/microbenchmark/walk.h"

namespace tare::microbenchmark {

#define TARE_SIX_ADDITIONS                  \
  ".irp register, rax,rcx,rdx,rsi,rdi,r8\n" \
  "addq $1, %%\\register\n"                 \
  ".endr\n"
#define TARE_0_ADDITIONS ""
#define TARE_6_ADDITIONS TARE_SIX_ADDITIONS
#define TARE_24_ADDITIONS \
  TARE_SIX_ADDITIONS TARE_SIX_ADDITIONS TARE_SIX_ADDITIONS TARE_SIX_ADDITIONS
#define TARE_96_ADDITIONS TARE_24_ADDITIONS TARE_24_ADDITIONS TARE_24_ADDITIONS TARE_24_ADDITIONS

#define TARE_RANDOM_PLACE           \
  "imulq %[multiplier], %[state]\n" \
  "movq %[state], %[place]\n"       \
  "shrq $20, %[place]\n"            \
  "andq %[mask], %[place]\n"
#define TARE_STREAM_PLACE         \
  "leaq 64(%[place]), %[place]\n" \
  "andq %[mask], %[place]\n"

#define TARE_LINES(NAME, PLACE, WORK)                                       \
  TARE_MICROBENCHMARK void NAME(const std::byte* base, std::uint64_t mask,  \
                                std::uint64_t iterations) {                 \
    std::uint64_t state = kMultiplier;                                      \
    std::uint64_t place = 0;                                                \
    std::uint64_t data = 0;                                                 \
    asm volatile(                                                           \
        ".p2align 6\n"                                                      \
        "1:\n" PLACE "movq (%[base], %[place]), %[data]\n" WORK             \
        "decq %[iterations]\n"                                              \
        "jnz 1b\n"                                                          \
        : [state] "+&r"(state), [place] "+&r"(place), [data] "=&r"(data),   \
          [iterations] "+&r"(iterations)                                    \
        : [base] "r"(base), [mask] "r"(mask), [multiplier] "r"(kMultiplier) \
        : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "cc", "memory");         \
  }

#define TARE_BOTH_LINES(COUNT)                                                       \
  TARE_LINES(tare_lines_stream_##COUNT, TARE_STREAM_PLACE, TARE_##COUNT##_ADDITIONS) \
  TARE_LINES(tare_lines_random_##COUNT, TARE_RANDOM_PLACE, TARE_##COUNT##_ADDITIONS)

TARE_BOTH_LINES(0)
TARE_BOTH_LINES(6)
TARE_BOTH_LINES(24)
TARE_BOTH_LINES(96)

// 12 instructions: 6 additions and moves, 3 loads, 1 store, and a test with its branch.
TARE_MICROBENCHMARK void tare_mixed_instructions(std::byte* place, std::uint64_t iterations) {
  asm volatile(
      "movq %[place], %%r9\n"
      "movl $1, %%r8d\n"
      ".p2align 6\n"
      "1:\n"
      ".rept 8\n"
      "addq %%r8, %%rax\n"
      "movq (%%r9), %%rcx\n"
      "addq %%r8, %%rdx\n"
      "leaq 8(%%rcx), %%rsi\n"
      "testq %%r8, %%r8\n"
      "jz 2f\n"
      "movq 8(%%r9), %%rdi\n"
      "addq %%r8, %%rax\n"
      "movq %%rdx, %%r10\n"
      "movq %%rsi, 32(%%r9)\n"
      "addq %%rdi, %%r10\n"
      "movq 16(%%r9), %%r11\n"
      ".endr\n"
      "decq %[iterations]\n"
      "jnz 1b\n"
      "2:\n"
      : [iterations] "+&r"(iterations)
      : [place] "r"(place)
      : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
}

TARE_MICROBENCHMARK void tare_loads_with_stores(std::byte* place, std::uint64_t iterations) {
  asm volatile(
      "movl $1, %%r8d\n"
      ".p2align 6\n"
      "1:\n"
      ".rept 8\n"
      "movq (%[place]), %%rax\n"
      "movq 8(%[place]), %%rcx\n"
      "movq %%r8, 32(%[place])\n"
      ".endr\n"
      "decq %[iterations]\n"
      "jnz 1b\n"
      : [iterations] "+&r"(iterations)
      : [place] "r"(place)
      : "rax", "rcx", "r8", "cc", "memory");
}

TARE_MICROBENCHMARK void tare_store_forwarding(std::byte* place, std::uint64_t iterations) {
  std::uint64_t value = 1;
  asm volatile(
      ".p2align 6\n"
      "1:\n"
      ".rept 16\n"
      "movq %[value], (%[place])\n"
      "movq (%[place]), %[value]\n"
      ".endr\n"
      "decq %[iterations]\n"
      "jnz 1b\n"
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
