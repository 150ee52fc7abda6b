// marked.c: times its own events of tare/events.h, or of LTTng-UST if built with -DLTTNG.
//
//   marked cost KIND N   N bursts of 4,000 events; prints the median time of one event in ns
//                        (KIND: none, clocks, event, span)
//   marked stream N      N events without a time, one span per 1,000, as fast as they are taken
//   marked called N      N calls of an empty function, for tools that trace calls
// A burst fits into the buffer, and the pause after it lets the reader take it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef LTTNG
#define TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "marked_lttng.h"
#define MARK_EVENT() lttng_ust_tracepoint(tare_bench, event)
#define MARK_SPAN()                          \
  do {                                       \
    lttng_ust_tracepoint(tare_bench, begin); \
    lttng_ust_tracepoint(tare_bench, end);   \
  } while (0)
#else
#include <tare/events.h>
#define MARK_EVENT() TARE_EVENT("event")
#define MARK_SPAN()    \
  do {                 \
    TARE_SPAN("span"); \
  } while (0)
#endif

enum { kBurst = 4000 };

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t read_counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  uint64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#endif
}

static int less(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return left < right ? -1 : left > right;
}

#define BURST(work)                      \
  for (int i = 0; i < kBurst; ++i) {     \
    work;                                \
    __asm__ volatile("" : : : "memory"); \
  }

static double burst(const char* kind) {
  const uint64_t begin = now_ns();
  if (strcmp(kind, "event") == 0) {
    BURST(MARK_EVENT());
  } else if (strcmp(kind, "span") == 0) {
    BURST(MARK_SPAN());
  } else if (strcmp(kind, "clocks") == 0) {
    BURST(uint64_t first = read_counter(); uint64_t second = read_counter();
          __asm__ volatile("" : : "r"(first), "r"(second)));
  } else {
    BURST();
  }
  return (double)(now_ns() - begin) / kBurst;
}

static void cost(const char* kind, long bursts) {
  double* const times = malloc((size_t)bursts * sizeof *times);
  if (times == NULL) exit(1);
  // The first bursts find pages that are not there yet.
  for (long i = -20; i < bursts; ++i) {
    const double ns = burst(kind);
    if (i >= 0) times[i] = ns;
    const struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
  }
  qsort(times, (size_t)bursts, sizeof *times, less);
  printf("%.3f\n", times[bursts / 2]);
  free(times);
}

__attribute__((noinline)) void called(void) { __asm__ volatile(""); }

int main(int count, char** arguments) {
  const char* const what = count > 1 ? arguments[1] : "";
  if (strcmp(what, "cost") == 0 && count > 3) {
    cost(arguments[2], atol(arguments[3]));
  } else if (strcmp(what, "stream") == 0 && count > 2) {
    const long n = atol(arguments[2]);
    for (long i = 0; i < n; ++i) {
      MARK_EVENT();
      if (i % 1000 == 999) MARK_SPAN();
    }
  } else if (strcmp(what, "called") == 0 && count > 2) {
    const long n = atol(arguments[2]);
    const uint64_t begin = now_ns();
    for (long i = 0; i < n; ++i) called();
    printf("%.3f\n", (double)(now_ns() - begin) / (double)n);
  } else {
    return 2;
  }
  return 0;
}
