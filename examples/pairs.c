/* pairs.c: an example to measure: counts how often each pair of letters occurs in a synthetic text.
 * `pairs [LETTERS]` generates letters (default: 4,000,000) and prints the most frequent pair. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLetters = 26 };

static uint64_t state = 88172645463325252u;

/* Marsaglia's xorshift generator; the text is the same in every run. */
static unsigned next_letter(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 33) % kLetters);
}

int main(int argc, char** argv) {
  const long letters = argc > 1 ? strtol(argv[1], NULL, 10) : 4000000;
  static long pairs[kLetters][kLetters];
  unsigned before = next_letter();
  for (long i = 1; i < letters; ++i) {
    const unsigned now = next_letter();
    ++pairs[before][now];
    before = now;
  }
  unsigned first = 0;
  unsigned second = 0;
  for (unsigned a = 0; a < kLetters; ++a) {
    for (unsigned b = 0; b < kLetters; ++b) {
      if (pairs[a][b] > pairs[first][second]) {
        first = a;
        second = b;
      }
    }
  }
  printf("%c%c %ld\n", 'a' + (int)first, 'a' + (int)second, pairs[first][second]);
  return 0;
}
