// counted_signals.c: counts in signal handlers and outside of them; status 0 on success.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "counted.h"

COUNTED_STANDARD_UNIT;

static int handled;  // sometimes by two threads at once

static void handle(int signal) {
  (void)signal;
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
  counted_add_at_once(COUNTED_OTHERS, 1);
}

static void* count(void* calls) {
  for (long i = 0; i < *(long*)calls; ++i) counted_add_at_once(COUNTED_CALLS, 1);
  return NULL;
}

// Threads claim their bank while many signals arrive; prints the number of signals.
static int storm(long threads) {
  static long calls = 2000;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  const struct itimerval often = {{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, NULL);
  for (long i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, count, &calls) != 0) return 1;
    raise(SIGUSR1);
    pthread_join(thread, NULL);
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGALRM, SIG_IGN);
  printf("%d\n", __atomic_load_n(&handled, __ATOMIC_RELAXED));
  return 0;
}

// Counts for the given milliseconds of processor time; prints the count.
static int work(long milliseconds) {
  long counted = 0;
  for (;;) {
    for (int i = 0; i < 1000; ++i, ++counted) counted_add_at_once(COUNTED_CALLS, 1);
    counted_raise(COUNTED_LARGEST, 40);
    if (clock() >= milliseconds * (CLOCKS_PER_SEC / 1000)) break;
  }
  printf("%ld\n", counted);
  return 0;
}

// Counts until the file exists, for at most 20 s.
static int work_until(const char* file) {
  while (access(file, F_OK) != 0 && clock() < 20 * CLOCKS_PER_SEC) {
    for (int i = 0; i < 1000; ++i) counted_add_at_once(COUNTED_CALLS, 1);
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) return 100;
  if (strcmp(argv[1], "storm") == 0) return storm(atol(argv[2]));
  if (strcmp(argv[1], "work") == 0) return work(atol(argv[2]));
  if (strcmp(argv[1], "work-until") == 0) return work_until(argv[2]);
  return 100;
}
