// operation_rows_a64.cc: arithmetic and branch microbenchmarks in AArch64 assembly.
#include "machine/microbenchmark/operation.h"

#if defined(__aarch64__)

#include <bit>

#include "machine/microbenchmark/operation_rows.h"

namespace tare::microbenchmark {

namespace {

// Too small to change 1 when added, as a double and as a float.
constexpr auto kTiny = std::bit_cast<std::uint64_t>(1e-28);
constexpr auto kTinyFloat = std::bit_cast<std::uint32_t>(1e-12F);

}  // namespace

// Before the loop, v0 to v23 and v25 contain 1, v24 contains kTiny, v26 to v28 the numbers above in
// their order, x8 and x9 the integer ones, and x10 to x15 contain 1.
#define TARE_OPERATION(NAME, BODY)                                                              \
  TARE_MICROBENCHMARK void NAME(std::uint64_t iterations) {                                     \
    asm volatile(                                                                               \
        TARE_FOR_EACH(TARE_24 ",25", TARE_ONE) TARE_CONSTANTS                                   \
        ".p2align 6\n"                                                                          \
        "1:\n" BODY                                                                             \
        "subs %[iterations], %[iterations], #1\n"                                               \
        "b.ne 1b\n"                                                                             \
        : [iterations] "+&r"(iterations)                                                        \
        : [tiny] "r"(kTiny), [tiny_float] "r"(kTinyFloat), [dividend] "r"(kDividend),           \
          [divisor] "r"(kDivisor), [huge] "r"(kHuge), [integer_dividend] "r"(kIntegerDividend), \
          [integer_divisor] "r"(kIntegerDivisor)                                                \
        : "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "v0", "v1", "v2", "v3", "v4",   \
          "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", \
          "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "cc");   \
  }

// The assembler repeats an instruction for each register of a list. Lists are not nested, because
// clang would take the end of a register's name for its own.
#define TARE_24 "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23"
#define TARE_7 "9,10,11,12,13,14,15"
#define TARE_FOR_EACH(REGISTERS, INSTRUCTION) \
  ".irp register, " REGISTERS "\n" INSTRUCTION "\n.endr\n"

// 24 independent instructions saturate 4 pipelines of 4 cycles latency.
#define TARE_24_REGISTERS(INSTRUCTION) TARE_FOR_EACH(TARE_24 "," TARE_24, INSTRUCTION)
#define TARE_7_REGISTERS(INSTRUCTION)                                                    \
  TARE_FOR_EACH(TARE_7 "," TARE_7 "," TARE_7 "," TARE_7 "," TARE_7 "," TARE_7 "," TARE_7 \
                       "," TARE_7,                                                       \
                INSTRUCTION)

#define TARE_CHAIN(INSTRUCTION) ".rept 32\n" INSTRUCTION "\n.endr\n"

#define TARE_ONE "fmov v\\register\\().2d, #1.0\n"
#define TARE_CONSTANTS            \
  "dup v24.2d, %[tiny]\n"         \
  "fmov d26, %[dividend]\n"       \
  "fmov d27, %[divisor]\n"        \
  "fmov d28, %[huge]\n"           \
  "mov x8, %[integer_dividend]\n" \
  "mov x9, %[integer_divisor]\n" TARE_FOR_EACH("10,11,12,13,14,15", "mov x\\register, #1")

TARE_OPERATION(tare_integer_add, TARE_7_REGISTERS("add x\\register, x\\register, x8"))
TARE_OPERATION(tare_integer_add_chain, TARE_CHAIN("add x9, x9, x8"))
TARE_OPERATION(tare_integer_multiply, TARE_7_REGISTERS("mul x\\register, x\\register, x8"))
TARE_OPERATION(tare_integer_multiply_chain, TARE_CHAIN("mul x9, x9, x8"))
TARE_OPERATION(tare_integer_add_vector,
               TARE_24_REGISTERS("add v\\register\\().2d, v\\register\\().2d, v24.2d"))
TARE_OPERATION(tare_integer_add_vector_chain, TARE_CHAIN("add v0.2d, v0.2d, v24.2d"))

TARE_OPERATION(tare_fp64_add, TARE_24_REGISTERS("fadd d\\register, d\\register, d24"))
// Sums of five numbers in different registers, as in the loop of a stencil. Neoverse V1 executes
// four independent additions per cycle, but two to three of these, although the sums are
// independent of one another.
TARE_OPERATION(tare_fp64_short_sums,
               ".rept 12\n"
               "fadd d0, d20, d21\n"
               "fadd d0, d0, d22\n"
               "fadd d0, d0, d23\n"
               "fadd d0, d0, d25\n"
               ".endr\n")
TARE_OPERATION(tare_fp64_add_chain, TARE_CHAIN("fadd d0, d0, d24"))
TARE_OPERATION(tare_fp64_multiply, TARE_24_REGISTERS("fmul d\\register, d\\register, d25"))
TARE_OPERATION(tare_fp64_multiply_chain, TARE_CHAIN("fmul d0, d0, d25"))
TARE_OPERATION(tare_fp64_fused,
               TARE_24_REGISTERS("fmadd d\\register, d\\register, d24, d\\register"))
TARE_OPERATION(tare_fp64_fused_chain, TARE_CHAIN("fmadd d0, d0, d24, d0"))

TARE_OPERATION(tare_fp64_add_vector,
               TARE_24_REGISTERS("fadd v\\register\\().2d, v\\register\\().2d, v24.2d"))
TARE_OPERATION(tare_fp64_add_vector_chain, TARE_CHAIN("fadd v0.2d, v0.2d, v24.2d"))
TARE_OPERATION(tare_fp64_multiply_vector,
               TARE_24_REGISTERS("fmul v\\register\\().2d, v\\register\\().2d, v25.2d"))
TARE_OPERATION(tare_fp64_multiply_vector_chain, TARE_CHAIN("fmul v0.2d, v0.2d, v25.2d"))
TARE_OPERATION(tare_fp64_fused_vector,
               TARE_24_REGISTERS("fmla v\\register\\().2d, v\\register\\().2d, v24.2d"))
// The form of a dot product. Neoverse V1 executes four of those above per cycle and two of these.
TARE_OPERATION(tare_fp64_accumulate_vector,
               TARE_24_REGISTERS("fmla v\\register\\().2d, v24.2d, v25.2d"))
TARE_OPERATION(tare_fp64_accumulate_vector_chain, TARE_CHAIN("fmla v0.2d, v24.2d, v25.2d"))
// The result is both addend and factor of the next one: an addend alone would be forwarded earlier.
TARE_OPERATION(tare_fp64_fused_vector_chain, TARE_CHAIN("fmla v0.2d, v0.2d, v24.2d"))
// The quotient is the next divisor, so it alternates between two values. Neither is round, because
// dividers are faster with round values.
TARE_OPERATION(tare_fp64_divide_chain, TARE_CHAIN("fdiv d27, d26, d27"))
// 8 square roots of 1e300 yield about 15; adding 1e300 restores the start at little cost.
TARE_OPERATION(tare_fp64_root_chain,
               ".rept 4\n"
               "fadd d0, d0, d28\n"
               "fsqrt d0, d0\n"
               "fsqrt d0, d0\n"
               "fsqrt d0, d0\n"
               "fsqrt d0, d0\n"
               "fsqrt d0, d0\n"
               "fsqrt d0, d0\n"
               "fsqrt d0, d0\n"
               "fsqrt d0, d0\n"
               ".endr\n")
TARE_OPERATION(tare_integer_divide_chain, TARE_CHAIN("udiv x9, x8, x9"))

#undef TARE_ONE
#undef TARE_CONSTANTS
#define TARE_ONE "fmov v\\register\\().4s, #1.0\n"
#define TARE_CONSTANTS "dup v24.4s, %w[tiny_float]\n"

TARE_OPERATION(tare_fp32_fused_vector,
               TARE_24_REGISTERS("fmla v\\register\\().4s, v\\register\\().4s, v24.4s"))
TARE_OPERATION(tare_fp32_fused_vector_chain, TARE_CHAIN("fmla v0.4s, v0.4s, v24.4s"))

namespace {

constexpr unsigned kInteger = 56;
constexpr unsigned kVector = 48;

#define TARE_SYMBOL(NAME) #NAME, NAME

}  // namespace

std::vector<Operation> Operations() { return AllOperations(); }

std::vector<Operation> AllOperations() {
  return {
      Independent("integer add", "op", 1, kInteger, "add", TARE_SYMBOL(tare_integer_add)),
      Chained("integer add", "add", TARE_SYMBOL(tare_integer_add_chain)),
      Independent("integer multiply", "op", 1, kInteger, "madd",
                  TARE_SYMBOL(tare_integer_multiply)),
      Chained("integer multiply", "madd", TARE_SYMBOL(tare_integer_multiply_chain)),
      Chained("integer divide", "udiv", TARE_SYMBOL(tare_integer_divide_chain)),
      Independent("integer add vector", "op", 2, kVector, "add",
                  TARE_SYMBOL(tare_integer_add_vector)),
      Chained("integer add vector", "add", TARE_SYMBOL(tare_integer_add_vector_chain)),
      Independent("fp64 add", "flop", 1, kVector, "fadd", TARE_SYMBOL(tare_fp64_add)),
      Chained("fp64 add", "fadd", TARE_SYMBOL(tare_fp64_add_chain)),
      Independent("fp64 short sums", "flop", 1, kVector, "fadd", TARE_SYMBOL(tare_fp64_short_sums)),
      Independent("fp64 multiply", "flop", 1, kVector, "fmul", TARE_SYMBOL(tare_fp64_multiply)),
      Chained("fp64 multiply", "fmul", TARE_SYMBOL(tare_fp64_multiply_chain)),
      Independent("fp64 fused", "flop", 2, kVector, "fmadd", TARE_SYMBOL(tare_fp64_fused)),
      Chained("fp64 fused", "fmadd", TARE_SYMBOL(tare_fp64_fused_chain)),
      Independent("fp64 add vector", "flop", 2, kVector, "fadd", TARE_SYMBOL(tare_fp64_add_vector)),
      Chained("fp64 add vector", "fadd", TARE_SYMBOL(tare_fp64_add_vector_chain)),
      Independent("fp64 multiply vector", "flop", 2, kVector, "fmul",
                  TARE_SYMBOL(tare_fp64_multiply_vector)),
      Chained("fp64 multiply vector", "fmul", TARE_SYMBOL(tare_fp64_multiply_vector_chain)),
      Independent("fp64 fused vector", "flop", 4, kVector, "fmla",
                  TARE_SYMBOL(tare_fp64_fused_vector)),
      Chained("fp64 fused vector", "fmla", TARE_SYMBOL(tare_fp64_fused_vector_chain)),
      Independent("fp64 accumulate vector", "flop", 4, kVector, "fmla",
                  TARE_SYMBOL(tare_fp64_accumulate_vector)),
      Chained("fp64 accumulate vector", "fmla", TARE_SYMBOL(tare_fp64_accumulate_vector_chain)),
      Independent("fp32 fused vector", "flop", 8, kVector, "fmla",
                  TARE_SYMBOL(tare_fp32_fused_vector)),
      Chained("fp32 fused vector", "fmla", TARE_SYMBOL(tare_fp32_fused_vector_chain)),
      Chained("fp64 divide", "fdiv", TARE_SYMBOL(tare_fp64_divide_chain)),
      Chained("fp64 square root", "fsqrt", TARE_SYMBOL(tare_fp64_root_chain)),
  };
}

TARE_MICROBENCHMARK std::uint64_t tare_branches(const std::uint8_t* pattern, std::uint64_t mask,
                                                std::uint64_t count) {
  std::uint64_t ones = 0;
  std::uint64_t place = 0;
  asm volatile(
      ".p2align 6\n"
      "1: ldrb w9, [%[pattern], %[place]]\n"
      "   add %[place], %[place], #1\n"
      "   and %[place], %[place], %[mask]\n"
      "   cbz w9, 2f\n"
      "   add %[ones], %[ones], #1\n"
      "2: subs %[count], %[count], #1\n"
      "   b.ne 1b\n"
      : [ones] "+&r"(ones), [place] "+&r"(place), [count] "+&r"(count)
      : [pattern] "r"(pattern), [mask] "r"(mask)
      : "x9", "cc", "memory");
  return ones;
}

}  // namespace tare::microbenchmark

#endif
