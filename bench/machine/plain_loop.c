// plain_loop.c: plain C loops that load, store and copy, optimised by the compiler alone.
//     plain_loop load|store|copy BYTES SECONDS    prints bytes loaded and stored per second
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t load(const uint64_t* from, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += from[i];
  return sum;
}

static void store(uint64_t* to, size_t count, uint64_t value) {
  for (size_t i = 0; i < count; ++i) to[i] = value;
}

static void copy(uint64_t* restrict to, const uint64_t* restrict from, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = from[i];
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const size_t bytes = strtoull(argv[2], NULL, 10);
  const double seconds = strtod(argv[3], NULL);
  uint64_t* memory = aligned_alloc(2 << 20, (bytes + (2 << 20) - 1) / (2 << 20) * (2 << 20));
  if (!memory) return 1;
  memset(memory, 1, bytes);
  const size_t count = bytes / 8;
  double best = 0;
  volatile uint64_t sink = 0;
  for (const double end = now() + seconds; now() < end;) {
    const size_t times = bytes >= (8u << 20) ? 1 : (8u << 20) / bytes;
    const double begin = now();
    for (size_t i = 0; i < times; ++i) {
      if (argv[1][0] == 'l') {
        sink += load(memory, count);
      } else if (argv[1][0] == 's') {
        store(memory, count, i);
      } else {
        copy(memory, memory + count / 2, count / 2);
      }
      __asm__ volatile("" : : "r"(memory) : "memory");
    }
    const double rate = (double)bytes * (double)times / (now() - begin);
    if (rate > best) best = rate;
  }
  printf("%.6g\n", best);
  return 0;
}
