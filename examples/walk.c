// walk.c: follows indices through an array in random order, then computes; for docs/tutorial.md.
// With -DSCALED, random numbers are scaled by a multiplication instead of a remainder.
#include <stdio.h>
#include <stdlib.h>

enum { kItems = 1 << 16 };

static unsigned next[kItems];

// Sattolo's algorithm: one cycle through all items.
__attribute__((noinline)) static void fill(void) {
  unsigned random = 1;
  for (unsigned i = 0; i < kItems; ++i) next[i] = i;
  for (unsigned i = kItems - 1; i > 0; --i) {
    random = random * 1664525 + 1013904223;
#ifdef SCALED
    const unsigned j = (unsigned)(((unsigned long)random * i) >> 32);
#else
    const unsigned j = (random >> 8) % i;
#endif
    const unsigned kept = next[i];
    next[i] = next[j];
    next[j] = kept;
  }
}

__attribute__((noinline)) static unsigned chase(long steps) {
  unsigned at = 0;
  for (long i = 0; i < steps; ++i) at = next[at];
  return at;
}

__attribute__((noinline)) static double compute(long steps) {
  double sum = 0;
  for (long i = 1; i <= steps; ++i) sum += 1.0 / (double)i;
  return sum;
}

int main(int argc, char** argv) {
  const long steps = argc > 1 ? atol(argv[1]) : 1000000;
  for (int i = 0; i < 20; ++i) fill();
  printf("%u %.3f\n", chase(steps), compute(steps));
  return 0;
}
