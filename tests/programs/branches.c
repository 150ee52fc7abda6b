// branches.c: 12,000 iterations with a branch that is taken in every third one; status 0. Each
// iteration has two conditional branches: the tested one (4,000 taken, 8,000 not taken) and the
// loop's (11,999 taken, 1 not taken).
#include "bare.h"

int main(void) {
  long left = 12000;
  long phase = 3;
  long taken = 0;
#if defined(__x86_64__)
  __asm__ volatile(
      "1: dec %1\n"
      "  jz 2f\n"
      "  jmp 3f\n"
      "2: mov $3, %1\n"
      "  inc %2\n"
      "3: dec %0\n"
      "  jnz 1b\n"
      : "+r"(left), "+r"(phase), "+r"(taken)
      :
      : "cc");
#else
  __asm__ volatile(
      "1: subs %1, %1, #1\n"
      "  b.eq 2f\n"
      "  b 3f\n"
      "2: mov %1, #3\n"
      "  add %2, %2, #1\n"
      "3: subs %0, %0, #1\n"
      "  b.ne 1b\n"
      : "+r"(left), "+r"(phase), "+r"(taken)
      :
      : "cc");
#endif
  return left == 0 && taken == 4000 ? 0 : 1;
}
