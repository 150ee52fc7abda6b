// memory_rows_x86.cc: the memory microbenchmarks in x86-64 assembly.
#include "machine/microbenchmark/memory_rows.h"

#if defined(__x86_64__)

#include <array>

namespace tare::microbenchmark {

// Each microbenchmark is a single loop without inner loops. Conditional moves reset the pointers at
// the end of a pass, since a branch would be mispredicted once per pass. Registers have explicit
// names where their width is that of the element: %xmm1 and so on.

// For each width: loads the stored value into vector register 0, and ends the use of wide
// registers.
#define TARE_BEGIN_8 ""
#define TARE_BEGIN_16 "movq %[value], %%xmm0\n punpcklqdq %%xmm0, %%xmm0\n"
#define TARE_BEGIN_32 "vmovq %[value], %%xmm0\n vpbroadcastq %%xmm0, %%ymm0\n"
#define TARE_BEGIN_64 "vpbroadcastq %[value], %%zmm0\n"
#define TARE_END_8 ""
#define TARE_END_16 ""
#define TARE_END_32 "vzeroupper\n"
#define TARE_END_64 "vzeroupper\n"

// Accesses to the element at PLACE.
#define TARE_LOAD_8(PLACE) "movq " PLACE ", %[data]\n"
#define TARE_STORE_8(PLACE) "movq %[value], " PLACE "\n"
#define TARE_UPDATE_8(PLACE) TARE_LOAD_8(PLACE) "movq %[data], " PLACE "\n"
#define TARE_LOAD_16(PLACE) "movaps " PLACE ", %%xmm1\n"
#define TARE_STORE_16(PLACE) "movaps %%xmm0, " PLACE "\n"
#define TARE_UPDATE_16(PLACE) TARE_LOAD_16(PLACE) "movaps %%xmm1, " PLACE "\n"
#define TARE_LOAD_32(PLACE) "vmovaps " PLACE ", %%ymm1\n"
#define TARE_STORE_32(PLACE) "vmovaps %%ymm0, " PLACE "\n"
#define TARE_UPDATE_32(PLACE) TARE_LOAD_32(PLACE) "vmovaps %%ymm1, " PLACE "\n"
#define TARE_LOAD_64(PLACE) "vmovaps " PLACE ", %%zmm1\n"
#define TARE_STORE_64(PLACE) "vmovaps %%zmm0, " PLACE "\n"
#define TARE_UPDATE_64(PLACE) TARE_LOAD_64(PLACE) "vmovaps %%zmm1, " PLACE "\n"

// Accesses COUNT elements of BYTES from %[at] on. After the last iteration of a pass the next one
// starts at the base; otherwise it starts after this one, but not beyond the last start.
#define TARE_SEQUENTIAL(NAME, BYTES, COUNT, ACCESS)                                                \
  TARE_MICROBENCHMARK void NAME(Walk& walk, std::uint64_t iterations) {                            \
    std::byte* at = walk.at;                                                                       \
    std::byte* limit = nullptr;                                                                    \
    std::uint64_t data = 0;                                                                        \
    asm volatile(                                                                                  \
        TARE_BEGIN_##BYTES                                                                         \
        ".p2align 6\n"                                                                             \
        "1:\n"                                                                                     \
        ".set tare_offset, 0\n"                                                                    \
        ".rept " #COUNT                                                                            \
        "\n" ACCESS##_##BYTES("tare_offset(%[at])") ".set tare_offset, tare_offset + " #BYTES      \
                                                    "\n"                                           \
                                                    ".endr\n"                                      \
                                                    "movq %[last], %[limit]\n"                     \
                                                    "cmpq %[last], %[at]\n"                        \
                                                    "cmoveq %[base], %[limit]\n"                   \
                                                    "addq $(" #BYTES " * " #COUNT                  \
                                                    "), %[at]\n"                                   \
                                                    "cmpq %[limit], %[at]\n"                       \
                                                    "cmovaeq %[limit], %[at]\n"                    \
                                                    "decq %[iterations]\n"                         \
                                                    "jnz 1b\n" TARE_END_##BYTES                    \
        : [at] "+&r"(at), [iterations] "+&r"(iterations), [limit] "=&r"(limit), [data] "=&r"(data) \
        : [base] "r"(walk.base), [last] "r"(walk.base + walk.last), [value] "r"(walk.value)        \
        : "xmm0", "xmm1", "cc", "memory");                                                         \
    walk.at = at;                                                                                  \
  }

#define TARE_FOUR_ELEMENTS(ACCESS) \
  ACCESS("(%[at])")                \
  ACCESS("(%[at], %[s])")          \
  ACCESS("(%[at], %[s], 2)") ACCESS("(%[at], %[s3])") "leaq (%[at], %[s], 4), %[at]\n"

// Accesses 16 elements from %[at] on. After the last iteration of a pass the next pass starts, one
// shift further on or at the base again.
#define TARE_STRIDED(NAME, BYTES, ACCESS)                                     \
  TARE_MICROBENCHMARK void NAME(Walk& walk, std::uint64_t iterations) {       \
    std::byte* at = walk.at;                                                  \
    std::byte* start = walk.start;                                            \
    std::byte* limit = nullptr;                                               \
    std::byte* next = nullptr;                                                \
    std::uint64_t data = 0;                                                   \
    asm volatile(                                                           \
        TARE_BEGIN_##BYTES                                                  \
        ".p2align 6\n"                                                      \
        "1:\n"                                                              \
        "leaq (%[start], %[last]), %[limit]\n"                              \
        "leaq (%[start], %[shift]), %[next]\n"                              \
        "cmpq %[shift_end], %[next]\n"                                      \
        "cmoveq %[base], %[next]\n"                                         \
        "cmpq %[limit], %[at]\n"                                            \
        "cmoveq %[next], %[limit]\n"                                        \
        "cmoveq %[next], %[start]\n"                                        \
        TARE_FOUR_ELEMENTS(ACCESS##_##BYTES) TARE_FOUR_ELEMENTS(ACCESS##_##BYTES) \
        TARE_FOUR_ELEMENTS(ACCESS##_##BYTES) TARE_FOUR_ELEMENTS(ACCESS##_##BYTES) \
        "cmpq %[limit], %[at]\n"                                            \
        "cmovaeq %[limit], %[at]\n"                                         \
        "decq %[iterations]\n"                                              \
        "jnz 1b\n" TARE_END_##BYTES                                         \
        : [at] "+&r"(at), [start] "+&r"(start), [iterations] "+&r"(iterations), \
          [limit] "=&r"(limit),                                             \
          [next] "=&r"(next), [data] "=&r"(data)                            \
        : [base] "r"(walk.base), [last] "r"(walk.last), [shift] "r"(walk.shift), \
          [shift_end] "r"(walk.shift_end), [s] "r"(walk.stride), [s3] "r"(3 * walk.stride), \
          [value] "r"(walk.value)                                           \
        : "xmm0", "xmm1", "cc", "memory"); \
    walk.at = at;                                                             \
    walk.start = start;                                                       \
  }

#define TARE_DRAW(STATE, BYTES, ACCESS) \
  "imulq %[multiplier], " STATE         \
  "\n"                                  \
  "movq " STATE                         \
  ", %%rax\n"                           \
  "mulq %[span]\n"                      \
  "andq $-" #BYTES ", %%rdx\n" ACCESS##_##BYTES("(%[base], %%rdx)")

#define TARE_DRAW_FOUR(BYTES, ACCESS) \
  TARE_DRAW("%[a]", BYTES, ACCESS)    \
  TARE_DRAW("%[b]", BYTES, ACCESS) TARE_DRAW("%[c]", BYTES, ACCESS) TARE_DRAW("%[d]", BYTES, ACCESS)

// Eight elements, each uniformly random, from four generators in turn.
#define TARE_RANDOM(NAME, BYTES, ACCESS)                                      \
  TARE_MICROBENCHMARK void NAME(Walk& walk, std::uint64_t iterations) {       \
    std::uint64_t a = walk.states[0], b = walk.states[1];                     \
    std::uint64_t c = walk.states[2], d = walk.states[3];                     \
    std::uint64_t data = 0;                                                   \
    asm volatile(                                                           \
        TARE_BEGIN_##BYTES                                                  \
        ".p2align 6\n"                                                      \
        "1:\n" TARE_DRAW_FOUR(BYTES, ACCESS) TARE_DRAW_FOUR(BYTES, ACCESS)  \
        "decq %[iterations]\n"                                                \
        "jnz 1b\n" TARE_END_##BYTES                                         \
        : [a] "+&r"(a), [b] "+&r"(b), [c] "+&r"(c), [d] "+&r"(d), [iterations] "+&r"(iterations), \
          [data] "=&r"(data)                                                \
        : [base] "r"(walk.base), [span] "r"(walk.span), [multiplier] "r"(kMultiplier), \
          [value] "r"(walk.value)                                           \
        : "rax", "rdx", "xmm0", "xmm1", "cc", "memory"); \
    walk.states[0] = a;                                                       \
    walk.states[1] = b;                                                       \
    walk.states[2] = c;                                                       \
    walk.states[3] = d;                                                       \
  }

#define TARE_CHAINED(NAME, LINK)                                        \
  TARE_MICROBENCHMARK void NAME(Walk& walk, std::uint64_t iterations) { \
    std::byte* at = walk.at;                                            \
    asm volatile(                                                       \
        ".p2align 6\n"                                                  \
        "1:\n"                                                          \
        ".rept 16\n" LINK                                               \
        ".endr\n"                                                       \
        "decq %[iterations]\n"                                          \
        "jnz 1b\n"                                                      \
        : [at] "+&r"(at), [iterations] "+&r"(iterations)                \
        : [value] "r"(walk.value)                                       \
        : "cc", "memory");                                              \
    walk.at = at;                                                       \
  }

#define TARE_ALL_ACCESSES(BYTES, COUNT)                                      \
  TARE_SEQUENTIAL(tare_load_sequential_##BYTES, BYTES, COUNT, TARE_LOAD)     \
  TARE_SEQUENTIAL(tare_store_sequential_##BYTES, BYTES, COUNT, TARE_STORE)   \
  TARE_SEQUENTIAL(tare_update_sequential_##BYTES, BYTES, COUNT, TARE_UPDATE) \
  TARE_STRIDED(tare_load_strided_##BYTES, BYTES, TARE_LOAD)                  \
  TARE_STRIDED(tare_store_strided_##BYTES, BYTES, TARE_STORE)                \
  TARE_STRIDED(tare_update_strided_##BYTES, BYTES, TARE_UPDATE)              \
  TARE_RANDOM(tare_load_random_##BYTES, BYTES, TARE_LOAD)                    \
  TARE_RANDOM(tare_store_random_##BYTES, BYTES, TARE_STORE)                  \
  TARE_RANDOM(tare_update_random_##BYTES, BYTES, TARE_UPDATE)

TARE_ALL_ACCESSES(8, 64)
TARE_ALL_ACCESSES(16, 64)
TARE_ALL_ACCESSES(32, 32)
TARE_ALL_ACCESSES(64, 16)

TARE_CHAINED(tare_load_chained_8, "movq (%[at]), %[at]\n")
TARE_CHAINED(tare_update_chained_8,
             "movq (%[at]), %[at]\n"
             "movq %[value], 8(%[at])\n")

namespace {

constexpr std::array kTable = {
    TARE_ELEMENT_ROWS(8, 8, 64),
    TARE_ELEMENT_ROWS(16, 16, 64),
    TARE_ELEMENT_ROWS(32, 32, 32),
    TARE_ELEMENT_ROWS(64, 64, 16),
    TARE_CHAINED_ROWS,
};

}  // namespace

std::span<const MemoryMicrobenchmark> MemoryMicrobenchmarkTable() { return kTable; }

unsigned ScalableBytes() { return 0; }

bool HasElement(unsigned element_bytes) {
  switch (element_bytes) {
    case 8:
    case 16:
      return true;
    case 32:
      return __builtin_cpu_supports("avx2") != 0;
    case 64:
      return __builtin_cpu_supports("avx512f") != 0;
    default:
      return false;
  }
}

}  // namespace tare::microbenchmark

#endif
