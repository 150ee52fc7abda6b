/* inputs.c: a library to preload. The date starts where tare says, and random numbers of the system
 * follow from a seed. It replaces functions of libc: what a program gets by system calls or
 * instructions of its own stays as it is. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "format/inputs_wire.h"

#define REPLACES __attribute__((visibility("default")))

/* Of the file that replaces /dev/urandom; it ends there. */
enum { kRandomFileBytes = 1 << 20 };

static bool active;
static int64_t start_seconds;
static uint64_t seed;
static uint64_t drawn;
static struct tare_native_inputs own;
static struct tare_native_inputs *shared = &own;

static int (*real_clock_gettime)(clockid_t, struct timespec *);

static int64_t Nanoseconds(clockid_t clock) {
  struct timespec now = {0, 0};
  if (real_clock_gettime != NULL) {
    real_clock_gettime(clock, &now);
  } else {
    syscall(SYS_clock_gettime, clock, &now);
  }
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Programs that this one starts share the file, so that their dates go on. */
static void Share(const char *file) {
  const int descriptor = open(file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  void *mapped = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (mapped != MAP_FAILED) shared = mapped;
}

__attribute__((constructor)) static void Start(void) {
  /* POSIX lets a data pointer become a function pointer this way. */
  *(void **)&real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  const char *text = getenv(TARE_INPUTS_VARIABLE);
  if (text == NULL) return;
  char *rest = NULL;
  start_seconds = strtoll(text, &rest, 10);
  if (*rest != ':') return;
  seed = strtoull(rest + 1, &rest, 10);
  if (*rest != ':') return;
  Share(rest + 1);
  int64_t none = 0;
  __atomic_compare_exchange_n(&shared->began, &none, Nanoseconds(CLOCK_MONOTONIC), false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  active = true;
}

static int64_t Date(void) {
  __atomic_fetch_add(&shared->times, 1, __ATOMIC_RELAXED);
  return start_seconds * 1000000000 + Nanoseconds(CLOCK_MONOTONIC) - shared->began;
}

/* SplitMix64 (Steele, Lea and Flood 2014) of a counter. */
static uint64_t Draw(void) {
  uint64_t x = seed * 0x9e3779b97f4a7c15 +
               (__atomic_add_fetch(&drawn, 1, __ATOMIC_RELAXED)) * 0xd1342543de82ef95;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static void Fill(void *to, size_t bytes) {
  unsigned char *at = to;
  while (bytes > 0) {
    const uint64_t word = Draw();
    const size_t part = bytes < sizeof word ? bytes : sizeof word;
    memcpy(at, &word, part);
    at += part;
    bytes -= part;
  }
}

static void CountRandom(void) { __atomic_fetch_add(&shared->random, 1, __ATOMIC_RELAXED); }

REPLACES int clock_gettime(clockid_t clock, struct timespec *to) {
  if (!active || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) {
    if (real_clock_gettime != NULL) return real_clock_gettime(clock, to);
    return (int)syscall(SYS_clock_gettime, clock, to);
  }
  const int64_t now = Date();
  *to = (struct timespec){now / 1000000000, now % 1000000000};
  return 0;
}

REPLACES int gettimeofday(struct timeval *restrict to, void *restrict zone) {
  if (!active) return (int)syscall(SYS_gettimeofday, to, zone);
  const int64_t now = Date();
  if (zone != NULL) memset(zone, 0, sizeof(struct timezone));
  *to = (struct timeval){now / 1000000000, now % 1000000000 / 1000};
  return 0;
}

REPLACES time_t time(time_t *to) {
  const time_t now =
      active ? Date() / 1000000000 : (time_t)(Nanoseconds(CLOCK_REALTIME) / 1000000000);
  if (to != NULL) *to = now;
  return now;
}

REPLACES int timespec_get(struct timespec *to, int base) {
  if (base != TIME_UTC) return 0;
  return clock_gettime(CLOCK_REALTIME, to) == 0 ? base : 0;
}

REPLACES ssize_t getrandom(void *to, size_t bytes, unsigned flags) {
  if (!active) return syscall(SYS_getrandom, to, bytes, flags);
  CountRandom();
  Fill(to, bytes);
  return (ssize_t)bytes;
}

REPLACES int getentropy(void *to, size_t bytes) {
  if (bytes > 256) {
    errno = EIO;
    return -1;
  }
  return getrandom(to, bytes, 0) == (ssize_t)bytes ? 0 : -1;
}

REPLACES void arc4random_buf(void *to, size_t bytes) { (void)!getrandom(to, bytes, 0); }

REPLACES uint32_t arc4random(void) {
  uint32_t value = 0;
  arc4random_buf(&value, sizeof value);
  return value;
}

REPLACES uint32_t arc4random_uniform(uint32_t bound) {
  if (bound < 2) return 0;
  uint64_t value = 0;
  arc4random_buf(&value, sizeof value);
  return (uint32_t)(value % bound);
}

static bool IsRandomFile(const char *path) {
  return active && path != NULL &&
         (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0);
}

static int RandomFile(int flags) {
  CountRandom();
  const int file = memfd_create("random", (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0);
  if (file < 0) return -1;
  unsigned char bytes[4096];
  for (int written = 0; written < kRandomFileBytes; written += (int)sizeof bytes) {
    Fill(bytes, sizeof bytes);
    if (write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes) break;
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

static mode_t ModeOf(int flags, va_list rest) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? (mode_t)va_arg(rest, unsigned) : 0;
}

#define REPLACE_OPEN(name)                                        \
  REPLACES int name(const char *path, int flags, ...) {           \
    va_list rest;                                                 \
    va_start(rest, flags);                                        \
    const mode_t mode = ModeOf(flags, rest);                      \
    va_end(rest);                                                 \
    if (IsRandomFile(path)) return RandomFile(flags);             \
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode); \
  }
REPLACE_OPEN(open)
REPLACE_OPEN(open64)
REPLACE_OPEN(__open_2)
REPLACE_OPEN(__open64_2)

#define REPLACE_OPENAT(name)                                           \
  REPLACES int name(int directory, const char *path, int flags, ...) { \
    va_list rest;                                                      \
    va_start(rest, flags);                                             \
    const mode_t mode = ModeOf(flags, rest);                           \
    va_end(rest);                                                      \
    if (IsRandomFile(path)) return RandomFile(flags);                  \
    return (int)syscall(SYS_openat, directory, path, flags, mode);     \
  }
REPLACE_OPENAT(openat)
REPLACE_OPENAT(openat64)

/* stdio opens files without the functions above. */
#define REPLACE_FOPEN(name)                                                   \
  REPLACES FILE *name(const char *restrict path, const char *restrict mode) { \
    static FILE *(*real)(const char *restrict, const char *restrict);         \
    if (IsRandomFile(path)) {                                                 \
      const int file = RandomFile(0);                                         \
      return file < 0 ? NULL : fdopen(file, mode);                            \
    }                                                                         \
    if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, #name);              \
    return real == NULL ? NULL : real(path, mode);                            \
  }
REPLACE_FOPEN(fopen)
REPLACE_FOPEN(fopen64)
