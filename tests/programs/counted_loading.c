// counted_loading.c: loads and unloads a counting library repeatedly; status 0 on success.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"

COUNTED_STANDARD_UNIT;

typedef void call(void);

static void* call_often(void* function) {
  for (int i = 0; i < 10; ++i) ((call*)function)();
  return NULL;
}

// Each load makes 3 calls from this thread and 10 from another.
static int load(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  void* const function = dlsym(handle, "library_call");
  for (int i = 0; i < 3; ++i) ((call*)function)();
  pthread_t thread;
  if (pthread_create(&thread, NULL, call_often, function) != 0) return 2;
  pthread_join(thread, NULL);
  return dlclose(handle) == 0 ? 0 : 3;
}

// Each line of /proc/self/maps is a mapping.
static int mappings(void) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  int lines = 0;
  for (int byte; maps != NULL && (byte = getc(maps)) != EOF;) lines += byte == '\n';
  if (maps != NULL) fclose(maps);
  return lines;
}

int main(int argc, char** argv) {
  if (argc < 3) return 100;
  int before = 0;
  for (int i = 0; i < atoi(argv[2]); ++i) {
    counted_add(COUNTED_CALLS, 1);
    const int status = load(argv[1]);
    if (status != 0) return status;
    if (i == 4) before = mappings();
  }
  // Allows a few more mappings for the allocator's arenas.
  if (before != 0 && mappings() > before + 8) return 10;
  // The unloaded library must not leave its pthread_atfork handler behind.
  const pid_t child = fork();
  if (child == 0) _exit(load(argv[1]));
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 11;
}
