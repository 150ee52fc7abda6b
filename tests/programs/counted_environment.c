// counted_environment.c: counts under resource limits, and checks that the runtime changes nothing
// that the program sees; status 0 on success.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"

COUNTED_STANDARD_UNIT;

static void count(long calls) {
  for (long i = 0; i < calls; ++i) counted_add(COUNTED_CALLS, 1);
}

static int errno_before_main;
__attribute__((constructor)) static void look(void) { errno_before_main = errno; }

static void* first_use(void* unused) {
  errno = 77;
  count(10);
  return errno == 77 ? unused : (void*)1;
}

static int errno_stays(void) {
  pthread_t thread;
  void* result = NULL;
  errno = 55;
  count(10);
  if (errno != 55 || errno_before_main != 0) return 1;
  if (pthread_create(&thread, NULL, first_use, NULL) != 0) return 2;
  pthread_join(thread, &result);
  if (result != NULL) return 3;
  errno = 66;
  const pid_t child = fork();
  if (child == 0) _exit(errno == 66 ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 4;
}

// Closes all descriptors, opens its own file, which becomes descriptor 0, and writes to it.
static int close_all(const char* file) {
  count(5);
  for (int number = 0; number < 4096; ++number) close(number);
  if (open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600) != 0) return 1;
  count(6);
  return write(0, "own file", 8) == 8 ? 0 : 2;
}

static int list_descriptors(void) {
  count(1);
  for (int number = 0; number < 4096; ++number) {
    if (fcntl(number, F_GETFD) >= 0) printf("%d\n", number);
  }
  return 0;
}

// A child cannot create a file; its parent's file records that.
static int no_files_for_children(void) {
  const struct rlimit none = {3, 3};
  count(8);
  if (setrlimit(RLIMIT_NOFILE, &none) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    count(9);
    exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 2;
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "errno") == 0) return errno_stays();
  if (strcmp(what, "close-all") == 0 && argc > 2) return close_all(argv[2]);
  if (strcmp(what, "descriptors") == 0) return list_descriptors();
  if (strcmp(what, "no-files-for-children") == 0) return no_files_for_children();
  return 100;
}
