// memory_walk.c: walks 2,048 words of 8 bytes 4 times: 8,192 loads and 8,192 stores; status 0.
// Each iteration of the inner loop has one load, one addition, one store and the loop counter.
#include "bare.h"

enum { kWords = 2048, kWalks = 4 };

// Not all zero, so that the file contains it: Valgrind 3.19 cannot load a segment without file
// bytes.
static long words[kWords] = {1};

static void walk(long* at, long left) {
  long value;
#if defined(__x86_64__)
  __asm__ volatile(
      "1: mov (%0), %2\n"
      "  add $1, %2\n"
      "  mov %2, (%0)\n"
      "  add $8, %0\n"
      "  dec %1\n"
      "  jnz 1b\n"
      : "+r"(at), "+r"(left), "=&r"(value)
      :
      : "cc", "memory");
#else
  __asm__ volatile(
      "1: ldr %2, [%0]\n"
      "  add %2, %2, #1\n"
      "  str %2, [%0]\n"
      "  add %0, %0, #8\n"
      "  subs %1, %1, #1\n"
      "  b.ne 1b\n"
      : "+r"(at), "+r"(left), "=&r"(value)
      :
      : "cc", "memory");
#endif
}

int main(void) {
  for (int i = 0; i < kWalks; ++i) walk(words, kWords);
  return words[0] == kWalks + 1 && words[kWords - 1] == kWalks ? 0 : 1;
}
