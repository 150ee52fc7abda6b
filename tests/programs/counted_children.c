// counted_children.c: creates counting processes in the way that its first argument names; status 0
// on success.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"

COUNTED_STANDARD_UNIT;

extern char** environ;

static void count(long calls) {
  for (long i = 0; i < calls; ++i) counted_add(COUNTED_CALLS, 1);
}

static int wait_for(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

// The parent counts 1,000 before and 10 after, the child 300 and the grandchild 20.
static int by_fork(int claimed) {
  if (claimed) count(1000);
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    count(300);
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      count(20);
      exit(0);
    }
    _exit(wait_for(grandchild));
  }
  const int status = wait_for(child);
  count(10);
  return status;
}

static volatile int stop;

static void* keep_counting(void* counted) {
  while (!stop) {
    count(1);
    ++*(long*)counted;
  }
  return NULL;
}

// A thread creates children while others count; prints the count of all but the children.
static int among_threads(int children) {
  enum { kThreads = 4 };
  static long counted[kThreads];
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], NULL, keep_counting, &counted[i]) != 0) return 1;
  }
  for (int i = 0; i < children; ++i) {
    count(1);
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
      count(50);
      _exit(0);
    }
    if (wait_for(child) != 0) return 3;
  }
  stop = 1;
  long all = children;
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    all += counted[i];
  }
  printf("%ld\n", all);
  return 0;
}

// A vfork child counts in its parent's memory before it executes this program.
static int by_vfork(char* self, int claimed) {
  char* const arguments[] = {self, "count", "30", NULL};
  if (claimed) count(100);
  const pid_t child = vfork();
  if (child < 0) return 1;
  if (child == 0) {
    count(5);
    execve("/proc/self/exe", arguments, environ);
    _exit(3);
  }
  const int status = wait_for(child);
  count(100);
  return status;
}

static int chain(char* self, long left) {
  count(left);
  if (left <= 1) return 0;
  char text[24];
  snprintf(text, sizeof text, "%ld", left - 1);
  char* const arguments[] = {self, "chain", text, NULL};
  execve("/proc/self/exe", arguments, environ);
  return 1;
}

static int storm(long children) {
  for (long i = 0; i < children; ++i) {
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      count(3);
      _exit(0);
    }
    if (wait_for(child) != 0) return 2;
  }
  count(1);
  return 0;
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  const long number = argc > 2 ? atol(argv[2]) : 1;
  if (strcmp(what, "count") == 0) return count(number), 0;
  if (strcmp(what, "fork") == 0) return by_fork(1);
  if (strcmp(what, "fork-unclaimed") == 0) return by_fork(0);
  if (strcmp(what, "fork-threads") == 0) return among_threads((int)number);
  if (strcmp(what, "vfork") == 0) return by_vfork(argv[0], 1);
  if (strcmp(what, "vfork-unclaimed") == 0) return by_vfork(argv[0], 0);
  if (strcmp(what, "chain") == 0) return chain(argv[0], number);
  if (strcmp(what, "storm") == 0) return storm(number);
  return 100;
}
