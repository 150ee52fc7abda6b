// kernel_events.c: causes events of the kernel in known numbers; status 0 on success.
// pages N: touches N fresh pages once each, after printing the address of the first.
// sleeps N: sleeps N times. reads N FILE: reads N blocks of a file past the page cache.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int pages(size_t count) {
  const size_t size = (size_t)sysconf(_SC_PAGESIZE);
  char* const memory =
      mmap(NULL, count * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  madvise(memory, count * size, MADV_NOHUGEPAGE);
  printf("%zu %zu\n", (size_t)memory, size);
  for (size_t i = 0; i < count; ++i) *(volatile char*)(memory + i * size) = 1;
  return 0;
}

static int sleeps(int count) {
  for (int i = 0; i < count; ++i) {
    const struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
  }
  return 0;
}

static int reads(int count, const char* path) {
  enum { kBytes = 4096 };
  const int file = open(path, O_RDONLY | O_DIRECT);
  void* block = NULL;
  if (file < 0 || posix_memalign(&block, kBytes, kBytes) != 0) return 1;
  for (int i = 0; i < count; ++i) {
    if (pread(file, block, kBytes, (off_t)i * kBytes) != kBytes) return 2;
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* const what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "pages") == 0) return pages((size_t)atol(argv[2]));
  if (strcmp(what, "sleeps") == 0) return sleeps(atoi(argv[2]));
  if (strcmp(what, "reads") == 0 && argc > 3) return reads(atoi(argv[2]), argv[3]);
  fprintf(stderr, "kernel_events: unknown: %s\n", what);
  return 100;
}
