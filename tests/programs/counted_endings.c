// counted_endings.c: counts, then ends in the way that its first argument names.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counted.h"

COUNTED_STANDARD_UNIT;

static void* outlive(void* calls) {
  usleep(20000);
  for (long i = 0; i < *(long*)calls; ++i) counted_add(COUNTED_CALLS, 1);
  return calls;
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "return";
  static long calls = 1000;
  if (argc > 2) calls = atol(argv[2]);
  for (long i = 0; i < calls; ++i) {
    counted_add(COUNTED_CALLS, 1);
    counted_raise(COUNTED_LARGEST, (uint64_t)i);
  }
  counted_add(COUNTED_OTHERS, 7);
  printf("counted %ld\n", calls);
  fflush(stdout);
  if (strcmp(how, "_exit") == 0) _exit(3);
  if (strcmp(how, "exit") == 0) exit(4);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "crash") == 0) *(volatile int*)8 = 1;
  if (strcmp(how, "main-leaves") == 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, outlive, &calls) != 0) return 1;
    pthread_exit(NULL);
  }
  return 0;
}
