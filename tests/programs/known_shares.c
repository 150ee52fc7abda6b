// known_shares.c: spends 50, 30 and 20 % of its time in three functions, in random order and for
// random short times. known_shares [TURNS [SEED]]; 1000 turns take about 20 ms.
#include <stdint.h>
#include <stdlib.h>

// A chain of multiplications: its time does not depend on alignment or on what ran before. Asking
// for the frame makes the compiler set up one, which leaf functions otherwise lack.
#define WORK(turns)                                                \
  do {                                                             \
    uint64_t value = (turns) | 1;                                  \
    __asm__ volatile("" : : "r"(__builtin_frame_address(0)));      \
    for (uint64_t i = 0; i < (turns); ++i) {                       \
      value = value * 6364136223846793005u + 1442695040888963407u; \
      __asm__ volatile("" : "+r"(value));                          \
    }                                                              \
  } while (0)

__attribute__((noinline, aligned(64))) void half(uint64_t turns) { WORK(turns); }
__attribute__((noinline, aligned(64))) void third(uint64_t turns) { WORK(turns); }
__attribute__((noinline, aligned(64))) void fifth(uint64_t turns) { WORK(turns); }

static uint64_t state;

static uint64_t random_bits(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

int main(int count, char** arguments) {
  const long turns = count > 1 ? atol(arguments[1]) : 20000;
  state = count > 2 ? (uint64_t)atol(arguments[2]) : 1;
  for (int i = 0; i < 4; ++i) random_bits();
  for (long i = 0; i < turns; ++i) {
    // From 5 to 30 us at some GHz, on average the same for all.
    const uint64_t length = 5000 + random_bits() % 20000;
    const uint64_t choice = random_bits() % 10;
    if (choice < 5) {
      half(length);
    } else if (choice < 8) {
      third(length);
    } else {
      fifth(length);
    }
  }
  return 0;
}
