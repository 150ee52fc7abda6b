// children.c: creates processes in the way that its first argument names; status 0 on success.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

// N children that exit at once by _exit, one after the other.
static int short_children(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) _exit(i % 256);
    int status = 0;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != i % 256) return 2;
  }
  return 0;
}

// A child created by vfork that executes this program again.
static int by_vfork(char* self) {
  char* const arguments[] = {self, "nothing", NULL};
  const pid_t child = vfork();
  if (child < 0) return 1;
  if (child == 0) {
    execve("/proc/self/exe", arguments, environ);
    _exit(3);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 2;
}

// Executes itself N times in the same process (execve).
static int chain(char* self, int left) {
  if (left == 0) return 0;
  char count[16];
  snprintf(count, sizeof count, "%d", left - 1);
  char* const arguments[] = {self, "chain", count, NULL};
  execve("/proc/self/exe", arguments, environ);
  return 1;
}

// N grandchildren whose parents have exited when they end.
static int orphans(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      if (fork() == 0) usleep(1000);
      _exit(0);
    }
    if (waitpid(child, NULL, 0) != child) return 2;
  }
  return 0;
}

// Forks twice and exits when the daemon runs. The daemon, in its own session, writes "done" to the
// file after the given number of milliseconds.
static int leave_daemon(int milliseconds, const char* file) {
  int runs[2];
  char byte = 0;
  if (pipe(runs) != 0) return 1;
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child > 0) return waitpid(child, NULL, 0) == child ? 0 : 2;
  setsid();
  if (fork() != 0) _exit(read(runs[0], &byte, 1) == 1 ? 0 : 1);
  if (write(runs[1], &byte, 1) != 1) _exit(1);
  close(runs[0]);
  close(runs[1]);
  if (freopen("/dev/null", "r+", stdin) == NULL) _exit(1);
  usleep((useconds_t)milliseconds * 1000);
  FILE* const done = fopen(file, "w");
  if (done == NULL) _exit(1);
  fputs("done", done);
  fclose(done);
  _exit(0);
}

// Leaves a child in its own process group that writes its ID to the file and hangs; hangs, too.
static int hang_in_two(const char* file) {
  const pid_t child = fork();
  if (child < 0) return 1;
  FILE* const note = child > 0 ? fopen(file, "w") : NULL;
  if (note != NULL) {
    fprintf(note, "%d", (int)child);
    fclose(note);
  }
  for (;;) pause();
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 1;
  if (strcmp(what, "nothing") == 0) return 0;
  if (strcmp(what, "short") == 0) return short_children(count);
  if (strcmp(what, "vfork") == 0) return by_vfork(argv[0]);
  if (strcmp(what, "chain") == 0) return chain(argv[0], count);
  if (strcmp(what, "orphans") == 0) return orphans(count);
  if (strcmp(what, "daemon") == 0 && argc > 3) return leave_daemon(count, argv[3]);
  if (strcmp(what, "hang") == 0 && argc > 2) return hang_in_two(argv[2]);
  fprintf(stderr, "children: unknown: %s\n", what);
  return 100;
}
