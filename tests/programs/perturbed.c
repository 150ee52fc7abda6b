/* perturbed.c: work in phases whose parts vary independently of each other, and counters that
 * perturb it as PLANTED selects.
 *
 * It assumes a first-level cache of 64 sets with 8 ways and lines of 64 bytes. */
#include <stdint.h>
#include <stdio.h>

enum { kPlain, kHarmless, kSharedLine, kEvictedSet, kOtherInlining };

enum { kSteps = 240, kSlices = 16, kWays = 8, kWordsOfSets = 4096 / 8, kWordsOfLine = 8 };
enum { kTableLines = 2048, kStreamLines = 1 << 14 };

/* Lines of one set: one more than it has ways. */
static uint64_t hot[(kWays + 1) * kWordsOfSets] __attribute__((aligned(4096)));
/* Read at random positions; larger than the cache. */
static uint64_t table[kTableLines * kWordsOfLine] __attribute__((aligned(4096)));
/* Written sequentially. */
static uint64_t stream[kStreamLines * kWordsOfLine] __attribute__((aligned(4096)));

static uint64_t state = 1;
static uint64_t sum;

static uint64_t Draw(uint64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

/* Rises and falls with the given period, plus a random part. */
static uint64_t Amount(unsigned step, unsigned period, uint64_t most) {
  const unsigned at = step % period;
  const unsigned height = at < period / 2 ? at : period - at;
  return 2 * most * height / period * 3 / 4 + Draw(most / 4 + 1);
}

/* The harmless counter, on a separate cache line. */
static uint64_t steps[kWordsOfLine] __attribute__((aligned(64)));

static void ReadHotSet(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) {
    for (int way = 0; way < kWays; ++way) {
      sum += ((volatile uint64_t*)hot)[way * kWordsOfSets];
    }
    /* A counter in one more line of the same set. */
    if (PLANTED == kEvictedSet) ++((volatile uint64_t*)hot)[kWays * kWordsOfSets];
  }
}

static void ReadTable(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) {
    volatile uint64_t* const line = table + Draw(kTableLines) * kWordsOfLine;
    sum += line[0];
    /* A counter in each line that is read: the line becomes dirty and must be written back. */
    if (PLANTED == kSharedLine) ++line[1];
  }
}

static void WriteStream(uint64_t lines) {
  static uint64_t at;
  for (uint64_t i = 0; i < lines; ++i) {
    ((volatile uint64_t*)stream)[at % kStreamLines * kWordsOfLine] = sum;
    ++at;
  }
}

/* Called with a constant `kind`: where it is inlined, only one path remains. */
#define BODY                                           \
  if (kind == 0) return value * 3;                     \
  if (kind == 1) return value ^ (value >> 7);          \
  if (kind == 2) return value + 0x9e3779b97f4a7c15u;   \
  if (kind == 3) return (value << 13) ^ (value >> 51); \
  return value * 6364136223846793005u + (uint64_t)kind;

static inline __attribute__((always_inline)) uint64_t InlinedMix(uint64_t value, int kind) { BODY }

static volatile uint64_t calls;
__attribute__((noinline)) uint64_t CountedMix(uint64_t value, int kind);
uint64_t CountedMix(uint64_t value, int kind) {
  ++calls;
  BODY
}

static void Mix(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) {
    sum = PLANTED == kOtherInlining ? CountedMix(sum, 4) : InlinedMix(sum, 4);
  }
}

static void Guess(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    if (((volatile uint64_t)state >> 40 & 1) != 0) ((volatile uint64_t*)steps)[1] = i;
  }
}

int main(void) {
  for (unsigned step = 0; step < kSteps; ++step) {
    const uint64_t hot_rounds = Amount(step, 30, 900);
    const uint64_t table_rounds = Amount(step, 47, 700);
    const uint64_t stream_lines = Amount(step, 71, 1500);
    const uint64_t mix_rounds = Amount(step, 19, 4000);
    const uint64_t guess_rounds = Amount(step, 113, 900);
    /* Interleaves all parts in many slices, so that a record shows the step, not one part. */
    for (unsigned slice = 0; slice < kSlices; ++slice) {
      ReadHotSet(hot_rounds / kSlices);
      ReadTable(table_rounds / kSlices);
      WriteStream(stream_lines / kSlices);
      Mix(mix_rounds / kSlices);
      Guess(guess_rounds / kSlices);
    }
    if (PLANTED == kHarmless) ++((volatile uint64_t*)steps)[0];
  }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
