// count_loops.c: 50,000 iterations of a loop of two instructions, the second a branch; status 0.
// The branch is taken 49,999 times. There is no other loop.
#include "bare.h"

int main(void) {
  long left = 50000;
#if defined(__x86_64__)
  __asm__ volatile("1: dec %0\n  jnz 1b\n" : "+r"(left) : : "cc");
#else
  __asm__ volatile("1: subs %0, %0, #1\n  b.ne 1b\n" : "+r"(left) : : "cc");
#endif
  return left == 0 ? 0 : 1;
}
