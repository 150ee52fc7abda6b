// memory_rows_a64.cc: the memory microbenchmarks in AArch64 assembly.
#include "machine/microbenchmark/memory_rows.h"

#if defined(__aarch64__)

#include <asm/hwcap.h>
#include <sys/auxv.h>

#include <array>

namespace tare::microbenchmark {

// Each microbenchmark is a single loop without inner loops. Conditional selects reset the pointers
// at the end of a pass, since a branch would be mispredicted once per pass.

#define TARE_CLOBBERED "x9", "x10", "v0", "v1", "v2", "v3", "p0", "cc", "memory"

// Repeats BODY for COUNT elements, STEP bytes apart, at tare_offset bytes from %[at].
#define TARE_REPEAT(COUNT, STEP, BODY)                               \
  ".set tare_offset, 0\n"                                            \
  ".rept " #COUNT "\n" BODY ".set tare_offset, tare_offset + " #STEP \
  "\n"                                                               \
  ".endr\n"

// Sets all lanes of the registers that are stored.
#define TARE_BEGIN        \
  "dup v0.2d, %[value]\n" \
  "dup v1.2d, %[value]\n"
#define TARE_BEGIN_SVE    \
  ".arch_extension sve\n" \
  "ptrue p0.b\n"          \
  "dup z0.d, %[value]\n"

// Accesses ELEMENTS from %[at] on; ADVANCE moves past them. After the last iteration of a pass the
// next one starts at the base; otherwise it starts after this one, but not beyond the last start.
#define TARE_SEQUENTIAL(NAME, BEGIN, ELEMENTS, ADVANCE)                                     \
  TARE_MICROBENCHMARK void NAME(Walk& walk, std::uint64_t iterations) {                     \
    std::byte* at = walk.at;                                                                \
    std::byte* limit = nullptr;                                                             \
    asm volatile(                                                                           \
        BEGIN                                                                               \
        ".p2align 6\n"                                                                      \
        "1:\n" ELEMENTS                                                                     \
        "cmp %[at], %[last]\n"                                                              \
        "csel %[limit], %[base], %[last], eq\n" ADVANCE                                     \
        "cmp %[at], %[limit]\n"                                                             \
        "csel %[at], %[at], %[limit], lo\n"                                                 \
        "subs %[iterations], %[iterations], #1\n"                                           \
        "b.ne 1b\n"                                                                         \
        : [at] "+&r"(at), [iterations] "+&r"(iterations), [limit] "=&r"(limit)              \
        : [base] "r"(walk.base), [last] "r"(walk.base + walk.last), [value] "r"(walk.value) \
        : TARE_CLOBBERED);                                                                  \
    walk.at = at;                                                                           \
  }

#define TARE_SEQUENTIAL_8(NAME, ACCESS) \
  TARE_SEQUENTIAL(NAME, TARE_BEGIN, TARE_REPEAT(64, 8, ACCESS), "add %[at], %[at], #512\n")
#define TARE_SEQUENTIAL_16(NAME, ACCESS) \
  TARE_SEQUENTIAL(NAME, TARE_BEGIN, TARE_REPEAT(32, 32, ACCESS), "add %[at], %[at], #1024\n")
#define TARE_SEQUENTIAL_SVE(NAME, ACCESS) \
  TARE_SEQUENTIAL(NAME, TARE_BEGIN_SVE, TARE_REPEAT(16, 1, ACCESS), "addvl %[at], %[at], #16\n")

TARE_SEQUENTIAL_8(tare_load_sequential_8, "ldr x9, [%[at], #tare_offset]\n")
TARE_SEQUENTIAL_8(tare_store_sequential_8, "str %[value], [%[at], #tare_offset]\n")
TARE_SEQUENTIAL_8(tare_update_sequential_8,
                  "ldr x9, [%[at], #tare_offset]\n"
                  "str x9, [%[at], #tare_offset]\n")
TARE_SEQUENTIAL_16(tare_load_sequential_16, "ldp q2, q3, [%[at], #tare_offset]\n")
TARE_SEQUENTIAL_16(tare_store_sequential_16, "stp q0, q1, [%[at], #tare_offset]\n")
TARE_SEQUENTIAL_16(tare_update_sequential_16,
                   "ldp q2, q3, [%[at], #tare_offset]\n"
                   "stp q2, q3, [%[at], #tare_offset]\n")
TARE_SEQUENTIAL_SVE(tare_load_sequential_sve, "ldr z2, [%[at], #tare_offset, mul vl]\n")
TARE_SEQUENTIAL_SVE(tare_store_sequential_sve, "str z0, [%[at], #tare_offset, mul vl]\n")
TARE_SEQUENTIAL_SVE(tare_update_sequential_sve,
                    "ldr z2, [%[at], #tare_offset, mul vl]\n"
                    "str z2, [%[at], #tare_offset, mul vl]\n")

// ACCESS is a macro that takes the address of the element.
#define TARE_EIGHT_ELEMENTS(ACCESS, FROM) \
  ACCESS(FROM)                            \
  ACCESS(FROM ", %[s1]")                  \
  ACCESS(FROM ", %[s2]")                  \
  ACCESS(FROM ", %[s3]")                  \
  ACCESS(FROM ", %[s4]") ACCESS(FROM ", %[s5]") ACCESS(FROM ", %[s6]") ACCESS(FROM ", %[s7]")

// Accesses 16 elements from %[at] on. After the last iteration of a pass the next pass starts, one
// shift further on or at the base again.
#define TARE_STRIDED(NAME, BEGIN, ACCESS)                               \
  TARE_MICROBENCHMARK void NAME(Walk& walk, std::uint64_t iterations) { \
    std::byte* at = walk.at;                                            \
    std::byte* start = walk.start;                                      \
    std::byte* limit = nullptr;                                         \
    std::byte* next = nullptr;                                          \
    const std::uint64_t s = walk.stride;                                \
    asm volatile(BEGIN \
        ".p2align 6\n"                                                                       \
        "1:\n" TARE_EIGHT_ELEMENTS(ACCESS, "%[at]")                                          \
        "add %[limit], %[start], %[last]\n"                                                  \
        "add %[next], %[start], %[shift]\n"                                                  \
        "cmp %[next], %[shift_end]\n"                                                        \
        "csel %[next], %[base], %[next], eq\n"                                               \
        "cmp %[at], %[limit]\n"                                                              \
        "csel %[limit], %[next], %[limit], eq\n"                                             \
        "csel %[start], %[next], %[start], eq\n"                                             \
        "add %[at], %[at], %[s8]\n" TARE_EIGHT_ELEMENTS(ACCESS, "%[at]")                     \
        "add %[at], %[at], %[s8]\n"                                                          \
        "cmp %[at], %[limit]\n"                                                              \
        "csel %[at], %[at], %[limit], lo\n"                                                  \
        "subs %[iterations], %[iterations], #1\n"                                            \
        "b.ne 1b\n"                                                                          \
        : [at] "+&r"(at), [start] "+&r"(start), [iterations] "+&r"(iterations),              \
          [limit] "=&r"(limit),                                                              \
          [next] "=&r"(next)                                                                 \
        : [base] "r"(walk.base), [last] "r"(walk.last), [shift] "r"(walk.shift),             \
          [shift_end] "r"(walk.shift_end), [s1] "r"(s), [s2] "r"(2 * s), [s3] "r"(3 * s),    \
          [s4] "r"(4 * s), [s5] "r"(5 * s), [s6] "r"(6 * s), [s7] "r"(7 * s),                \
          [s8] "r"(8 * s), [value] "r"(walk.value)                                           \
        : TARE_CLOBBERED);                                                \
    walk.at = at;                                                       \
    walk.start = start;                                                 \
  }

#define TARE_LOAD_8(PLACE) "ldr x9, [" PLACE "]\n"
#define TARE_STORE_8(PLACE) "str %[value], [" PLACE "]\n"
#define TARE_UPDATE_8(PLACE) TARE_LOAD_8(PLACE) "str x9, [" PLACE "]\n"
#define TARE_LOAD_16(PLACE) "ldr q2, [" PLACE "]\n"
#define TARE_STORE_16(PLACE) "str q0, [" PLACE "]\n"
#define TARE_UPDATE_16(PLACE) TARE_LOAD_16(PLACE) "str q2, [" PLACE "]\n"
#define TARE_LOAD_SVE(PLACE) "ld1b {z2.b}, p0/z, [" PLACE "]\n"
#define TARE_STORE_SVE(PLACE) "st1b {z0.b}, p0, [" PLACE "]\n"
#define TARE_UPDATE_SVE(PLACE) TARE_LOAD_SVE(PLACE) "st1b {z2.b}, p0, [" PLACE "]\n"

TARE_STRIDED(tare_load_strided_8, TARE_BEGIN, TARE_LOAD_8)
TARE_STRIDED(tare_store_strided_8, TARE_BEGIN, TARE_STORE_8)
TARE_STRIDED(tare_update_strided_8, TARE_BEGIN, TARE_UPDATE_8)
TARE_STRIDED(tare_load_strided_16, TARE_BEGIN, TARE_LOAD_16)
TARE_STRIDED(tare_store_strided_16, TARE_BEGIN, TARE_STORE_16)
TARE_STRIDED(tare_update_strided_16, TARE_BEGIN, TARE_UPDATE_16)
TARE_STRIDED(tare_load_strided_sve, TARE_BEGIN_SVE, TARE_LOAD_SVE)
TARE_STRIDED(tare_store_strided_sve, TARE_BEGIN_SVE, TARE_STORE_SVE)
TARE_STRIDED(tare_update_strided_sve, TARE_BEGIN_SVE, TARE_UPDATE_SVE)

// MASK clears the bits of an offset within an element.
#define TARE_DRAW(STATE, MASK, ACCESS) \
  "mul " STATE ", " STATE              \
  ", %[multiplier]\n"                  \
  "umulh x10, " STATE                  \
  ", %[span]\n"                        \
  "and x10, x10, " MASK "\n" ACCESS("%[base], x10")

#define TARE_DRAW_FOUR(MASK, ACCESS) \
  TARE_DRAW("%[a]", MASK, ACCESS)    \
  TARE_DRAW("%[b]", MASK, ACCESS) TARE_DRAW("%[c]", MASK, ACCESS) TARE_DRAW("%[d]", MASK, ACCESS)

// Eight elements, each uniformly random, from four generators in turn.
#define TARE_RANDOM(NAME, BEGIN, MASK, ACCESS)                          \
  TARE_MICROBENCHMARK void NAME(Walk& walk, std::uint64_t iterations) { \
    std::uint64_t a = walk.states[0], b = walk.states[1];               \
    std::uint64_t c = walk.states[2], d = walk.states[3];               \
    asm volatile(BEGIN \
        ".p2align 6\n"                                                                       \
        "1:\n" TARE_DRAW_FOUR(MASK, ACCESS) TARE_DRAW_FOUR(MASK, ACCESS)                     \
        "subs %[iterations], %[iterations], #1\n"                       \
        "b.ne 1b\n"                                                                          \
        : [a] "+&r"(a), [b] "+&r"(b), [c] "+&r"(c), [d] "+&r"(d), [iterations] "+&r"(iterations) \
        : [base] "r"(walk.base), [span] "r"(walk.span), [multiplier] "r"(kMultiplier),       \
          [value] "r"(walk.value), [mask] "r"(-walk.stride)                                                            \
        : TARE_CLOBBERED);                                                \
    walk.states[0] = a;                                                 \
    walk.states[1] = b;                                                 \
    walk.states[2] = c;                                                 \
    walk.states[3] = d;                                                 \
  }

TARE_RANDOM(tare_load_random_8, TARE_BEGIN, "#-8", TARE_LOAD_8)
TARE_RANDOM(tare_store_random_8, TARE_BEGIN, "#-8", TARE_STORE_8)
TARE_RANDOM(tare_update_random_8, TARE_BEGIN, "#-8", TARE_UPDATE_8)
TARE_RANDOM(tare_load_random_16, TARE_BEGIN, "#-16", TARE_LOAD_16)
TARE_RANDOM(tare_store_random_16, TARE_BEGIN, "#-16", TARE_STORE_16)
TARE_RANDOM(tare_update_random_16, TARE_BEGIN, "#-16", TARE_UPDATE_16)
TARE_RANDOM(tare_load_random_sve, TARE_BEGIN_SVE, "%[mask]", TARE_LOAD_SVE)
TARE_RANDOM(tare_store_random_sve, TARE_BEGIN_SVE, "%[mask]", TARE_STORE_SVE)
TARE_RANDOM(tare_update_random_sve, TARE_BEGIN_SVE, "%[mask]", TARE_UPDATE_SVE)

#define TARE_CHAINED(NAME, LINK)                                        \
  TARE_MICROBENCHMARK void NAME(Walk& walk, std::uint64_t iterations) { \
    std::byte* at = walk.at;                                            \
    asm volatile(                                                       \
        ".p2align 6\n"                                                  \
        "1:\n"                                                          \
        ".rept 16\n" LINK                                               \
        ".endr\n"                                                       \
        "subs %[iterations], %[iterations], #1\n"                       \
        "b.ne 1b\n"                                                     \
        : [at] "+&r"(at), [iterations] "+&r"(iterations)                \
        : [value] "r"(walk.value)                                       \
        : "cc", "memory");                                              \
    walk.at = at;                                                       \
  }

TARE_CHAINED(tare_load_chained_8, "ldr %[at], [%[at]]\n")
TARE_CHAINED(tare_update_chained_8,
             "ldr %[at], [%[at]]\n"
             "str %[value], [%[at], #8]\n")

namespace {

constexpr std::array kTable = {
    TARE_ELEMENT_ROWS(8, 8, 64),
    TARE_ELEMENT_ROWS(16, 16, 64),
    TARE_ELEMENT_ROWS(sve, kScalable, 16),
    TARE_CHAINED_ROWS,
};

}  // namespace

std::span<const MemoryMicrobenchmark> MemoryMicrobenchmarkTable() { return kTable; }

unsigned ScalableBytes() {
  if ((getauxval(AT_HWCAP) & HWCAP_SVE) == 0) return 0;
  std::uint64_t bytes = 0;
  // volatile, because gcc would otherwise move the instruction before the check for SVE.
  asm volatile(".arch_extension sve\n rdvl %0, #1" : "=r"(bytes));
  return static_cast<unsigned>(bytes);
}

bool HasElement(unsigned element_bytes) {
  return element_bytes == 8 || element_bytes == 16 ||
         (element_bytes != 0 && element_bytes == ScalableBytes());
}

}  // namespace tare::microbenchmark

#endif
