// in_step.c: alternates between two functions at fixed points in time: in_step PERIOD_NS SECONDS.
// As long as nothing interrupts it, a sampling timer of the same period finds the same function.
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#define WORK                                                     \
  uint64_t value = 1;                                            \
  for (uint64_t i = 0; i < 5000; ++i) {                          \
    value = value * 6364136223846793005u + 1442695040888963407u; \
    __asm__ volatile("" : "+r"(value));                          \
  }

__attribute__((noinline)) void even(void) { WORK }
__attribute__((noinline)) void odd(void) { WORK }

int main(int count, char** arguments) {
  const uint64_t period = count > 1 ? (uint64_t)atoll(arguments[1]) : 1000000;
  const uint64_t end = (count > 2 ? (uint64_t)atoll(arguments[2]) : 1) * 1000000000u;
  const uint64_t start = now_ns();
  for (uint64_t now = 0; now < end; now = now_ns() - start) {
    if (now % period < period / 2) {
      even();
    } else {
      odd();
    }
  }
  return 0;
}
