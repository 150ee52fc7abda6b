// counted_threads.c: many counting threads, concurrent or one after another; status 0 on success.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "counted.h"

COUNTED_STANDARD_UNIT;

static long each = 100;
static pthread_barrier_t barrier;
static int waits;

static void* count(void* number) {
  // All threads claim a bank at the same time, and all exist at the same time.
  if (waits) pthread_barrier_wait(&barrier);
  for (long i = 0; i < each; ++i) counted_add(COUNTED_CALLS, 1);
  counted_raise(COUNTED_LARGEST, (uint64_t)(uintptr_t)number);
  counted_raise(COUNTED_LEAST, ~((uint64_t)(uintptr_t)number ^ (UINT64_C(1) << 63)));
  if (waits) pthread_barrier_wait(&barrier);
  return NULL;
}

static int at_once(long threads) {
  pthread_t* const made = calloc((size_t)threads, sizeof *made);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 65536);
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  waits = 1;
  for (long i = 0; i < threads; ++i) {
    if (pthread_create(&made[i], &attributes, count, (void*)(uintptr_t)(i + 5)) != 0) return 1;
  }
  for (long i = 0; i < threads; ++i) pthread_join(made[i], NULL);
  free(made);
  return 0;
}

static int in_sequence(long threads) {
  for (long i = 0; i < threads; ++i) {
    pthread_t made;
    if (pthread_create(&made, NULL, count, (void*)(uintptr_t)(i + 5)) != 0) return 1;
    pthread_join(made, NULL);
  }
  return 0;
}

// Runs before all constructors, including the runtime's: the threads' first use of it initialises
// it.
static void early(int argc, char** argv, char** variables) {
  (void)variables;
  if (argc > 1 && strcmp(argv[1], "early") == 0 && at_once(8) != 0) _exit(98);
}
__attribute__((section(".preinit_array"), used)) static void (*const run_early)(int, char**,
                                                                                char**) = early;

int main(int argc, char** argv) {
  if (argc < 4) return 100;
  // The caller may restrict RLIMIT_DATA for the start; the threads need more.
  struct rlimit data;
  if (getrlimit(RLIMIT_DATA, &data) != 0) return 99;
  data.rlim_cur = data.rlim_max;
  if (setrlimit(RLIMIT_DATA, &data) != 0) return 99;
  each = atol(argv[3]);
  if (strcmp(argv[1], "at-once") == 0) return at_once(atol(argv[2]));
  waits = 0;
  if (strcmp(argv[1], "in-sequence") == 0 || strcmp(argv[1], "early") == 0) {
    return in_sequence(atol(argv[2]));
  }
  return 100;
}
