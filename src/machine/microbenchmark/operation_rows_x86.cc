// operation_rows_x86.cc: arithmetic and branch microbenchmarks in x86-64 assembly.
#include "machine/microbenchmark/operation.h"

#if defined(__x86_64__)

#include <bit>

#include "machine/microbenchmark/memory_loop.h"
#include "machine/microbenchmark/operation_rows.h"

namespace tare::microbenchmark {
namespace {

constexpr auto kOne = std::bit_cast<std::uint64_t>(1.0);
// Too small to change 1 when added.
constexpr auto kTiny = std::bit_cast<std::uint64_t>(1e-28);
// The same as two floats.
constexpr std::uint64_t kOnes = 0x100000001 * std::uint64_t{std::bit_cast<std::uint32_t>(1.0F)};
constexpr std::uint64_t kTinies = 0x100000001 * std::uint64_t{std::bit_cast<std::uint32_t>(1e-12F)};

}  // namespace

#define TARE_FOR_EACH(REGISTERS, INSTRUCTION) \
  ".irp register, " REGISTERS "\n" INSTRUCTION "\n.endr\n"
#define TARE_CHAIN(INSTRUCTION) ".rept 32\n" INSTRUCTION "\n.endr\n"

// Before the loop, r10 and rcx contain the numbers above, the other registers 1.
#define TARE_INTEGER(NAME, BODY)                                                             \
  TARE_MICROBENCHMARK void NAME(std::uint64_t iterations) {                                  \
    asm volatile(TARE_FOR_EACH("rax,rdx,rsi,rdi,r8,r9", "movq $1, %%\\register")           \
                 "movq %[dividend], %%r10\n"                                               \
                 "movq %[divisor], %%rcx\n"                                                \
                 ".p2align 6\n"                                                            \
                 "1:\n" BODY                                                               \
                 "decq %[iterations]\n"                                                    \
                 "jnz 1b\n"                                                                \
                 : [iterations] "+&r"(iterations)                                          \
                 : [dividend] "r"(kIntegerDividend), [divisor] "r"(kIntegerDivisor)        \
                 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "cc"); \
  }

#define TARE_7 "rax,rcx,rdx,rsi,rdi,r8,r9"
#define TARE_7_REGISTERS(INSTRUCTION)                                                    \
  TARE_FOR_EACH(TARE_7 "," TARE_7 "," TARE_7 "," TARE_7 "," TARE_7 "," TARE_7 "," TARE_7 \
                       "," TARE_7,                                                       \
                INSTRUCTION)

TARE_INTEGER(tare_integer_add, TARE_7_REGISTERS("addq %%r10, %%\\register"))
TARE_INTEGER(tare_integer_add_chain, TARE_CHAIN("addq %%r10, %%rax"))
TARE_INTEGER(tare_integer_multiply, TARE_7_REGISTERS("imulq %%r10, %%\\register"))
TARE_INTEGER(tare_integer_multiply_chain, TARE_CHAIN("imulq %%r10, %%rax"))
// The quotient is the next divisor, so it alternates between two values.
TARE_INTEGER(tare_integer_divide_chain, TARE_CHAIN("movq %%r10, %%rax\n"
                                                   "xorl %%edx, %%edx\n"
                                                   "divq %%rcx\n"
                                                   "movq %%rax, %%rcx"))

// Broadcasts a number to all lanes of a register.
#define TARE_FILL_xmm(FROM, TO) "movq " FROM ", %%xmm" TO "\n punpcklqdq %%xmm" TO ", %%xmm" TO "\n"
#define TARE_FILL_ymm(FROM, TO) \
  "vmovq " FROM ", %%xmm" TO "\n vpbroadcastq %%xmm" TO ", %%ymm" TO "\n"
#define TARE_FILL_zmm(FROM, TO) "vpbroadcastq " FROM ", %%zmm" TO "\n"
#define TARE_MOVE_xmm "movaps"
#define TARE_MOVE_ymm "vmovaps"
#define TARE_MOVE_zmm "vmovaps"
#define TARE_END_xmm ""
#define TARE_END_ymm "vzeroupper\n"
#define TARE_END_zmm "vzeroupper\n"

// Registers 0 to 11 and 13 contain ONE, 12 TINY, 14 and 15 kDividend and kHuge.
#define TARE_VECTOR(NAME, R, ONE, TINY, BODY)                                                \
  TARE_MICROBENCHMARK void NAME(std::uint64_t iterations) {                                  \
    asm volatile(TARE_FILL_##R("%[one]", "13") TARE_FILL_##R("%[tiny]", "12")              \
                 TARE_FILL_##R("%[dividend]", "14") TARE_FILL_##R("%[huge]", "15")         \
                 TARE_FOR_EACH(TARE_12, TARE_MOVE_##R " %%" #R "13, %%" #R "\\register")   \
                 ".p2align 6\n"                                                            \
                 "1:\n" BODY                                                               \
                 "decq %[iterations]\n"                                                    \
                 "jnz 1b\n" TARE_END_##R                                                   \
                 : [iterations] "+&r"(iterations)                                          \
                 : [one] "r"(ONE), [tiny] "r"(TINY), [dividend] "r"(kDividend), [huge] "r"(kHuge)                              \
                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc"); \
  }

// 12 independent instructions saturate 2 pipelines of 5 cycles latency.
#define TARE_12 "0,1,2,3,4,5,6,7,8,9,10,11"
#define TARE_12_REGISTERS(INSTRUCTION) \
  TARE_FOR_EACH(TARE_12 "," TARE_12 "," TARE_12 "," TARE_12, INSTRUCTION)

// OP with register FROM: for each register, and as a chain.
#define TARE_TWO_OPERANDS(NAME, OP, FROM)                                                      \
  TARE_VECTOR(NAME, xmm, kOne, kTiny, TARE_12_REGISTERS(OP " %%xmm" FROM ", %%xmm\\register")) \
  TARE_VECTOR(NAME##_chain, xmm, kOne, kTiny, TARE_CHAIN(OP " %%xmm" FROM ", %%xmm0"))

#define TARE_THREE_OPERANDS(NAME, OP, R, FROM)                                                \
  TARE_VECTOR(NAME, R, kOne, kTiny,                                                           \
              TARE_12_REGISTERS(OP " %%" #R FROM ", %%" #R "\\register, %%" #R "\\register")) \
  TARE_VECTOR(NAME##_chain, R, kOne, kTiny, TARE_CHAIN(OP " %%" #R FROM ", %%" #R "0, %%" #R "0"))

// Multiplies each register by 1 and adds TINY.
#define TARE_FUSED(NAME, OP, R, ONE, TINY)                                         \
  TARE_VECTOR(NAME, R, ONE, TINY,                                                  \
              TARE_12_REGISTERS(OP " %%" #R "12, %%" #R "13, %%" #R "\\register")) \
  TARE_VECTOR(NAME##_chain, R, ONE, TINY, TARE_CHAIN(OP " %%" #R "12, %%" #R "13, %%" #R "0"))

TARE_TWO_OPERANDS(tare_fp64_add, "addsd", "12")
TARE_TWO_OPERANDS(tare_fp64_multiply, "mulsd", "13")
TARE_TWO_OPERANDS(tare_integer_add_vector_16, "paddq", "12")
TARE_TWO_OPERANDS(tare_fp64_add_vector_16, "addpd", "12")
TARE_TWO_OPERANDS(tare_fp64_multiply_vector_16, "mulpd", "13")
TARE_FUSED(tare_fp64_fused, "vfmadd213sd", xmm, kOne, kTiny)

#define TARE_WIDE(BYTES, R)                                                      \
  TARE_THREE_OPERANDS(tare_integer_add_vector_##BYTES, "vpaddq", R, "12")        \
  TARE_THREE_OPERANDS(tare_fp64_add_vector_##BYTES, "vaddpd", R, "12")           \
  TARE_THREE_OPERANDS(tare_fp64_multiply_vector_##BYTES, "vmulpd", R, "13")      \
  TARE_FUSED(tare_fp64_fused_vector_##BYTES, "vfmadd213pd", R, kOne, kTiny)      \
  TARE_FUSED(tare_fp64_accumulate_vector_##BYTES, "vfmadd231pd", R, kOne, kTiny) \
  TARE_FUSED(tare_fp32_fused_vector_##BYTES, "vfmadd213ps", R, kOnes, kTinies)

TARE_WIDE(32, ymm)
TARE_WIDE(64, zmm)

// The quotient is the next divisor, so it alternates between two values. Neither is round, because
// dividers are faster with round values.
TARE_VECTOR(tare_fp64_divide_chain, xmm, kDivisor, kTiny,
            ".rept 16\n"
            "movapd %%xmm14, %%xmm1\n"
            "divsd %%xmm0, %%xmm1\n"
            "movapd %%xmm14, %%xmm0\n"
            "divsd %%xmm1, %%xmm0\n"
            ".endr\n")
// 8 square roots of 1e300 yield about 15; adding 1e300 restores the start at little cost.
TARE_VECTOR(tare_fp64_root_chain, xmm, kOne, kTiny,
            ".rept 4\n"
            "addsd %%xmm15, %%xmm0\n"
            "sqrtsd %%xmm0, %%xmm0\n"
            "sqrtsd %%xmm0, %%xmm0\n"
            "sqrtsd %%xmm0, %%xmm0\n"
            "sqrtsd %%xmm0, %%xmm0\n"
            "sqrtsd %%xmm0, %%xmm0\n"
            "sqrtsd %%xmm0, %%xmm0\n"
            "sqrtsd %%xmm0, %%xmm0\n"
            "sqrtsd %%xmm0, %%xmm0\n"
            ".endr\n")

namespace {

constexpr unsigned kInteger = 56;
constexpr unsigned kVector = 48;

#define TARE_SYMBOL(NAME) #NAME, NAME
#define TARE_BOTH(NAME, UNIT, EACH, INSTRUCTIONS, MNEMONIC, SYMBOL)           \
  Independent(NAME, UNIT, EACH, INSTRUCTIONS, MNEMONIC, TARE_SYMBOL(SYMBOL)), \
      Chained(NAME, MNEMONIC, TARE_SYMBOL(SYMBOL##_chain))

std::vector<Operation> ScalarOperations() {
  return {
      TARE_BOTH("integer add", "op", 1, kInteger, "add", tare_integer_add),
      TARE_BOTH("integer multiply", "op", 1, kInteger, "imul", tare_integer_multiply),
      Chained("integer divide", "div", TARE_SYMBOL(tare_integer_divide_chain)),
      TARE_BOTH("fp64 add", "flop", 1, kVector, "addsd", tare_fp64_add),
      TARE_BOTH("fp64 multiply", "flop", 1, kVector, "mulsd", tare_fp64_multiply),
      Chained("fp64 divide", "divsd", TARE_SYMBOL(tare_fp64_divide_chain)),
      Chained("fp64 square root", "sqrtsd", TARE_SYMBOL(tare_fp64_root_chain)),
  };
}

std::vector<Operation> NarrowOperations() {
  return {
      TARE_BOTH("integer add vector", "op", 2, kVector, "paddq", tare_integer_add_vector_16),
      TARE_BOTH("fp64 add vector", "flop", 2, kVector, "addpd", tare_fp64_add_vector_16),
      TARE_BOTH("fp64 multiply vector", "flop", 2, kVector, "mulpd", tare_fp64_multiply_vector_16),
  };
}

#define TARE_WIDE_ROWS(BYTES)                                                 \
  TARE_BOTH("integer add vector", "op", BYTES / 8, kVector, "vpaddq",         \
            tare_integer_add_vector_##BYTES),                                 \
      TARE_BOTH("fp64 add vector", "flop", BYTES / 8, kVector, "vaddpd",      \
                tare_fp64_add_vector_##BYTES),                                \
      TARE_BOTH("fp64 multiply vector", "flop", BYTES / 8, kVector, "vmulpd", \
                tare_fp64_multiply_vector_##BYTES)

#define TARE_FUSED_ROWS(BYTES)                                                       \
  TARE_BOTH("fp64 fused", "flop", 2, kVector, "vfmadd213sd", tare_fp64_fused),       \
      TARE_BOTH("fp64 fused vector", "flop", BYTES / 4, kVector, "vfmadd213pd",      \
                tare_fp64_fused_vector_##BYTES),                                     \
      TARE_BOTH("fp64 accumulate vector", "flop", BYTES / 4, kVector, "vfmadd231pd", \
                tare_fp64_accumulate_vector_##BYTES),                                \
      TARE_BOTH("fp32 fused vector", "flop", BYTES / 2, kVector, "vfmadd213ps",      \
                tare_fp32_fused_vector_##BYTES)

std::vector<Operation> VectorOperations(unsigned bytes) {
  if (bytes == 64) return {TARE_WIDE_ROWS(64)};
  if (bytes == 32) return {TARE_WIDE_ROWS(32)};
  return NarrowOperations();
}

std::vector<Operation> FusedOperations(unsigned bytes) {
  if (bytes == 64) return {TARE_FUSED_ROWS(64)};
  return {TARE_FUSED_ROWS(32)};
}

void Append(std::vector<Operation>& all, const std::vector<Operation>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::vector<Operation> Operations() {
  std::vector<Operation> all = ScalarOperations();
  Append(all, VectorOperations(WidestVector()));
  if (WidestVector() > 16 && __builtin_cpu_supports("fma"))
    Append(all, FusedOperations(WidestVector()));
  return all;
}

std::vector<Operation> AllOperations() {
  std::vector<Operation> all = ScalarOperations();
  for (const unsigned bytes : {16U, 32U, 64U}) Append(all, VectorOperations(bytes));
  for (const unsigned bytes : {32U, 64U}) Append(all, FusedOperations(bytes));
  return all;
}

TARE_MICROBENCHMARK std::uint64_t tare_branches(const std::uint8_t* pattern, std::uint64_t mask,
                                                std::uint64_t count) {
  std::uint64_t ones = 0;
  std::uint64_t place = 0;
  std::uint64_t bit = 0;
  asm volatile(
      ".p2align 6\n"
      "1: movzbl (%[pattern], %[place]), %k[bit]\n"
      "   incq %[place]\n"
      "   andq %[mask], %[place]\n"
      "   testl %k[bit], %k[bit]\n"
      "   jz 2f\n"
      "   incq %[ones]\n"
      "2: decq %[count]\n"
      "   jnz 1b\n"
      : [ones] "+&r"(ones), [place] "+&r"(place), [count] "+&r"(count), [bit] "=&r"(bit)
      : [pattern] "r"(pattern), [mask] "r"(mask)
      : "cc", "memory");
  return ones;
}

}  // namespace tare::microbenchmark

#endif
