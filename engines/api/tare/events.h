/* events.h: events, spans and values in the source of a program, for `tare events record`.
 *
 *   TARE_EVENT("retry");               an event without a time: at most a few nanoseconds
 *   TARE_TIMED_EVENT("connected");     an event with a time
 *   TARE_SPAN("parse");                a span until the end of the enclosing block
 *   TARE_BEGIN("load"); TARE_END("load");
 *   TARE_VALUE("queue", length);       a whole number, with a time
 *
 * One file, for C11 and C++11 with gcc or clang on Linux; nothing to link. Without `tare events
 * record` the macros do nothing but compare two pointers. With TARE_EVENTS_OFF defined they
 * disappear. Names must be string literals. Signal handlers must not use the macros. */
#ifndef TARE_EVENTS_H
#define TARE_EVENTS_H

#ifdef TARE_EVENTS_OFF

#define TARE_EVENT(name) ((void)0)
#define TARE_TIMED_EVENT(name) ((void)0)
#define TARE_BEGIN(name) ((void)0)
#define TARE_END(name) ((void)0)
#define TARE_VALUE(name, value) ((void)(value))
#define TARE_SPAN(name) ((void)0)

#else

/* No warnings about this header with the options of the program that includes it. */
#pragma GCC system_header

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__cplusplus)
#define TARE_EVENTS_CAST(type, value) static_cast<type>(value)
#define TARE_EVENTS_POINTER(type, value) reinterpret_cast<type>(value)
extern "C" {
#else
#define TARE_EVENTS_CAST(type, value) ((type)(value))
#define TARE_EVENTS_POINTER(type, value) ((type)(value))
#endif

#define TARE_EVENTS_SHARED __attribute__((weak, visibility("default")))
#define TARE_EVENTS_RARE __attribute__((weak, visibility("default"), noinline, cold))

/* With -std=c11 the C library hides what is not in ISO C, and a macro would be too late here: the
 * program may have included other headers before. */
int tare_events_clock_gettime(int clock, struct timespec* now) __asm__("clock_gettime");
int tare_events_ftruncate(int file, long bytes) __asm__("ftruncate");
int tare_events_kill(int process, int number) __asm__("kill");
int tare_events_nanosleep(const struct timespec* nap, struct timespec* rest) __asm__("nanosleep");
long tare_events_syscall(long number, ...) __asm__("syscall");
enum {
  TARE_EVENTS_CLOCK_MONOTONIC = 1,
  TARE_EVENTS_CLOCK_MONOTONIC_COARSE = 6,
  TARE_EVENTS_O_CLOEXEC = 02000000
};

/* As in tare's source_events_wire.h. */
#define TARE_EVENTS_MAGIC UINT64_C(0x31746e7665657274)
#define TARE_EVENTS_HEADER_BYTES 4096u
#define TARE_EVENTS_WORDS 32768u
enum {
  TARE_EVENTS_KIND_EVENT = 1,
  TARE_EVENTS_KIND_BEGIN = 2,
  TARE_EVENTS_KIND_END = 3,
  TARE_EVENTS_KIND_VALUE = 4,
  TARE_EVENTS_KIND_TIMED = 5,
  TARE_EVENTS_KIND_SKIP = 6
};

struct tare_events_file {
  uint64_t magic;
  uint32_t version;
  uint32_t clock;
  uint64_t process;
  uint64_t thread;
  uint64_t image;  /* identifies the program between execve and fork; sites are numbered in it */
  uint64_t parent; /* the image that this one was forked from; 0: none */
  uint64_t start_clock;
  uint64_t start_ns;
  uint64_t lost;
  uint32_t written;
  uint32_t taken;
  uint32_t reader;
  uint32_t ended;
  uint32_t alive;
  uint32_t unused;
};

/* The buffer of a thread: the next event goes to `at`. */
struct tare_events_thread {
  uint64_t* at;
  uint64_t* end; /* of the current half */
  struct tare_events_file* file;
  uint64_t* words;
  int no_file; /* it could not be created */
};

/* 0: not yet known, 1: nothing is recorded, 2: recording. */
TARE_EVENTS_SHARED int tare_events_state;
TARE_EVENTS_SHARED uint32_t tare_events_clock;
TARE_EVENTS_SHARED uint32_t tare_events_sites;
TARE_EVENTS_SHARED int tare_events_site_file = -1;
TARE_EVENTS_SHARED uint64_t tare_events_image;
TARE_EVENTS_SHARED uint64_t tare_events_parent;
TARE_EVENTS_SHARED pthread_key_t tare_events_key;
TARE_EVENTS_SHARED pthread_mutex_t tare_events_lock = PTHREAD_MUTEX_INITIALIZER;
TARE_EVENTS_SHARED __thread struct tare_events_thread tare_events_now;

static inline __attribute__((always_inline)) uint64_t tare_events_time(uint32_t clock) {
  if (__builtin_expect(clock == 0, 1)) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#endif
  }
  struct timespec now;
  tare_events_clock_gettime(
      clock == 2 ? TARE_EVENTS_CLOCK_MONOTONIC_COARSE : TARE_EVENTS_CLOCK_MONOTONIC, &now);
  return TARE_EVENTS_CAST(uint64_t, now.tv_sec) * 1000000000u +
         TARE_EVENTS_CAST(uint64_t, now.tv_nsec);
}

TARE_EVENTS_RARE void tare_events_thread_ends(void* thread) {
  struct tare_events_thread* now = TARE_EVENTS_CAST(struct tare_events_thread*, thread);
  if (now->file != NULL) {
    __atomic_store_n(&now->file->ended, 1, __ATOMIC_RELEASE);
    munmap(now->file, TARE_EVENTS_HEADER_BYTES + TARE_EVENTS_WORDS * 8u);
  }
  memset(now, 0, sizeof *now);
}

static inline uint64_t tare_events_new_image(void) {
  return tare_events_time(1) << 16 ^ TARE_EVENTS_CAST(uint64_t, getpid());
}

/* The child has its own files, and knows the sites that its parent had registered. */
TARE_EVENTS_RARE void tare_events_forked(void) {
  tare_events_parent = tare_events_image;
  tare_events_image = tare_events_new_image();
  if (tare_events_site_file >= 0) close(tare_events_site_file);
  tare_events_site_file = -1;
  if (tare_events_now.file != NULL)
    munmap(tare_events_now.file, TARE_EVENTS_HEADER_BYTES + TARE_EVENTS_WORDS * 8u);
  memset(&tare_events_now, 0, sizeof tare_events_now);
}

TARE_EVENTS_RARE void tare_events_start(void) {
  const char* clock;
  pthread_mutex_lock(&tare_events_lock);
  if (tare_events_state == 0) {
    clock = getenv("TARE_EVENTS_CLOCK");
    tare_events_clock = clock != NULL && *clock == '1' ? 1 : clock != NULL && *clock == '2' ? 2 : 0;
    if (getenv("TARE_EVENTS_DIRECTORY") == NULL) {
      tare_events_state = 1;
    } else {
      tare_events_image = tare_events_new_image();
      pthread_key_create(&tare_events_key, tare_events_thread_ends);
      pthread_atfork(NULL, NULL, tare_events_forked);
      __atomic_store_n(&tare_events_state, 2, __ATOMIC_RELEASE);
    }
  }
  pthread_mutex_unlock(&tare_events_lock);
}

/* Gives the file its size and reserves room for it: above RLIMIT_FSIZE, ftruncate(2) raises
 * SIGXFSZ, and a store to a mapped page without room raises SIGBUS. */
TARE_EVENTS_RARE int tare_events_reserve(int file, size_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes) return 0;
  if (tare_events_ftruncate(file, TARE_EVENTS_CAST(long, bytes)) != 0) return 0;
  /* A signal interrupts fallocate(2): with those of a timer, it might never end. A stop does so
   * even if all signals are blocked. */
  const uint64_t all = ~UINT64_C(0);
  uint64_t before = 0;
  int error = EINTR;
  tare_events_syscall(SYS_rt_sigprocmask, 0, &all, &before, sizeof all);
  for (int tries = 0; tries < 100 && error == EINTR; ++tries) {
    error = tare_events_syscall(SYS_fallocate, file, 0, 0L, TARE_EVENTS_CAST(long, bytes)) == 0
                ? 0
                : errno;
  }
  tare_events_syscall(SYS_rt_sigprocmask, 2, &before, NULL, sizeof before);
  return error == 0 || error == EOPNOTSUPP || error == ENOSYS;
}

/* The thread records nothing, and an empty directory tells tare so: it needs no descriptor. */
TARE_EVENTS_RARE int tare_events_no_file(const char* directory, long process, long thread) {
  char path[4096];
  snprintf(path, sizeof path, "%s/none.%ld.%ld", directory, process, thread);
  tare_events_now.no_file = 1;
  mkdir(path, 0700);
  return 0;
}

/* Gives the thread a file; 0 if that fails. */
TARE_EVENTS_RARE int tare_events_open(void) {
  struct tare_events_thread* now = &tare_events_now;
  const char* directory = getenv("TARE_EVENTS_DIRECTORY");
  const size_t bytes = TARE_EVENTS_HEADER_BYTES + TARE_EVENTS_WORDS * 8u;
  char path[4096];
  char name[4096];
  struct timespec start;
  void* memory;
  int file;
  if (directory == NULL || strlen(directory) > 3900) return 0;
  const long thread = tare_events_syscall(SYS_gettid);
  const long process = TARE_EVENTS_CAST(long, getpid());
  /* Generations: the thread number of an ended thread is used again, and execve keeps it. */
  for (unsigned i = 0;; ++i) {
    snprintf(path, sizeof path, "%s/.events.%ld.%ld.%u", directory, process, thread, i);
    snprintf(name, sizeof name, "%s/events.%ld.%ld.%u", directory, process, thread, i);
    if (access(name, F_OK) == 0) continue;
    file = open(path, O_RDWR | O_CREAT | O_EXCL | TARE_EVENTS_O_CLOEXEC, 0600);
    if (file >= 0) break;
    if (errno != EEXIST || i > 1000000) return tare_events_no_file(directory, process, thread);
  }
  memory = tare_events_reserve(file, bytes)
               ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
               : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED) {
    unlink(path);
    return tare_events_no_file(directory, process, thread);
  }
  now->file = TARE_EVENTS_CAST(struct tare_events_file*, memory);
  now->words =
      TARE_EVENTS_POINTER(uint64_t*, TARE_EVENTS_CAST(char*, memory) + TARE_EVENTS_HEADER_BYTES);
  now->file->version = 1;
  now->file->clock = tare_events_clock;
  now->file->process = TARE_EVENTS_CAST(uint64_t, process);
  now->file->thread = TARE_EVENTS_CAST(uint64_t, thread);
  now->file->image = tare_events_image;
  now->file->parent = tare_events_parent;
  now->file->reader = 1;
  now->file->start_clock = tare_events_time(tare_events_clock);
  tare_events_clock_gettime(TARE_EVENTS_CLOCK_MONOTONIC, &start);
  now->file->start_ns = TARE_EVENTS_CAST(uint64_t, start.tv_sec) * 1000000000u +
                        TARE_EVENTS_CAST(uint64_t, start.tv_nsec);
  __atomic_store_n(&now->file->magic, TARE_EVENTS_MAGIC, __ATOMIC_RELEASE);
  if (rename(path, name) != 0) {
    munmap(memory, bytes);
    now->file = NULL;
    return tare_events_no_file(directory, process, thread);
  }
  now->at = now->words;
  now->end = now->words + TARE_EVENTS_WORDS / 2;
  pthread_setspecific(tare_events_key, now);
  return 1;
}

/* Registers a site: its number and its text go to the file "sites.PROCESS". */
TARE_EVENTS_RARE uint32_t tare_events_register(uint32_t* site, char kind, const char* name,
                                               const char* source, unsigned line) {
  char text[2048];
  char path[4096];
  const int program_errno = errno;
  const char* directory = getenv("TARE_EVENTS_DIRECTORY");
  pthread_mutex_lock(&tare_events_lock);
  if (*site == 0 && directory != NULL) {
    const uint32_t number = tare_events_sites + 1;
    if (tare_events_site_file < 0) {
      snprintf(path, sizeof path, "%s/sites.%llx", directory,
               TARE_EVENTS_CAST(unsigned long long, tare_events_image));
      tare_events_site_file =
          open(path, O_WRONLY | O_CREAT | O_APPEND | TARE_EVENTS_O_CLOEXEC, 0600);
    }
    if (number < (1u << 20)) {
      const int size = snprintf(text, sizeof text, "%u\t%c\t%u\t%.200s\t%.1000s", number, kind,
                                line, source, name);
      const size_t used = TARE_EVENTS_CAST(size_t, size < 0 ? 0
                                                   : size < TARE_EVENTS_CAST(int, sizeof text) - 1
                                                       ? size
                                                       : TARE_EVENTS_CAST(int, sizeof text) - 2);
      text[used] = '\0'; /* ends the record, so that names may contain any other byte */
      if (write(tare_events_site_file, text, used + 1) == TARE_EVENTS_CAST(ssize_t, used + 1)) {
        tare_events_sites = number;
        __atomic_store_n(site, number, __ATOMIC_RELEASE);
      }
    }
  }
  pthread_mutex_unlock(&tare_events_lock);
  errno = program_errno;
  return *site;
}

/* Whether tare has ended: its process does not exist, and it has not counted up for half a second.
 * In another PID namespace the first says nothing. */
TARE_EVENTS_RARE int tare_events_gone(struct tare_events_file* file, uint32_t* alive,
                                      uint64_t* since_ns) {
  const uint32_t now_alive = __atomic_load_n(&file->alive, __ATOMIC_ACQUIRE);
  const uint64_t now_ns = tare_events_time(1);
  if (*since_ns == 0 || now_alive != *alive ||
      tare_events_kill(TARE_EVENTS_CAST(int, file->reader), 0) == 0 || errno != ESRCH) {
    *alive = now_alive;
    *since_ns = now_ns;
  }
  return now_ns - *since_ns > 500000000u;
}

/* The half is full, or there is none yet. Returns whether there is room for two words. */
TARE_EVENTS_RARE int tare_events_make_room(void) {
  struct tare_events_thread* now = &tare_events_now;
  struct tare_events_file* file = now->file;
  if (tare_events_state == 0) tare_events_start();
  if (tare_events_state != 2) return 0;
  if (file == NULL) return now->no_file ? 0 : tare_events_open();
  if (now->at < now->end) /* one word is left */
    __atomic_store_n(now->at, TARE_EVENTS_CAST(uint64_t, TARE_EVENTS_KIND_SKIP) << 61,
                     __ATOMIC_RELEASE);
  const uint32_t written = file->written + 1;
  __atomic_store_n(&file->written, written, __ATOMIC_RELEASE);
  uint32_t alive = 0;
  uint64_t since_ns = 0;
  for (unsigned tries = 0; written - __atomic_load_n(&file->taken, __ATOMIC_ACQUIRE) > 1; ++tries) {
    const uint32_t reader = __atomic_load_n(&file->reader, __ATOMIC_ACQUIRE);
    const int gone = reader > 1 && tries % 256 == 255 && tare_events_gone(file, &alive, &since_ns);
    if (reader == 0 || gone || (reader == 1 && tries > 100000)) {
      file->reader = 0;
      file->written = written - 1;
      now->at = now->end; /* the next event comes here again */
      ++file->lost;
      return 0;
    }
    const struct timespec nap = {0, 20000};
    tare_events_nanosleep(&nap, NULL);
  }
  now->at = now->words + (written % 2) * (TARE_EVENTS_WORDS / 2);
  now->end = now->at + TARE_EVENTS_WORDS / 2;
  return 1;
}

TARE_EVENTS_RARE int tare_events_room(void) {
  const int program_errno = errno;
  const int has_room = tare_events_make_room();
  errno = program_errno;
  return has_room;
}

static inline __attribute__((always_inline)) void tare_events_put(uint32_t* site, char site_kind,
                                                                  unsigned kind, const char* name,
                                                                  const char* source, unsigned line,
                                                                  int timed, uint64_t value) {
  struct tare_events_thread* now = &tare_events_now;
  uint64_t* at = now->at;
  uint32_t number;
  if (__builtin_expect(at == NULL || now->end - at < 2, 0)) {
    if (tare_events_state == 1 || !tare_events_room()) return;
    at = now->at;
  }
  number = *site;
  if (__builtin_expect(number == 0, 0)) {
    number = tare_events_register(site, site_kind, name, source, line);
    if (number == 0) {
      ++now->file->lost;
      return;
    }
  }
  uint64_t word = TARE_EVENTS_CAST(uint64_t, kind) << 61 | TARE_EVENTS_CAST(uint64_t, number) << 41;
  if (timed) word |= tare_events_time(tare_events_clock) & ((UINT64_C(1) << 41) - 1);
  if (kind == TARE_EVENTS_KIND_VALUE) {
    at[1] = value;
    now->at = at + 2;
  } else {
    now->at = at + 1;
  }
  __atomic_store_n(at, word, __ATOMIC_RELEASE);
}

#define TARE_EVENTS_PUT(site_kind, kind, name, timed, value)                                \
  do {                                                                                      \
    static uint32_t tare_events_site;                                                       \
    tare_events_put(&tare_events_site, site_kind, kind, "" name, __FILE__, __LINE__, timed, \
                    value);                                                                 \
  } while (0)

#define TARE_EVENT(name) TARE_EVENTS_PUT('e', TARE_EVENTS_KIND_EVENT, name, 0, 0)
#define TARE_TIMED_EVENT(name) TARE_EVENTS_PUT('e', TARE_EVENTS_KIND_TIMED, name, 1, 0)
#define TARE_BEGIN(name) TARE_EVENTS_PUT('s', TARE_EVENTS_KIND_BEGIN, name, 1, 0)
#define TARE_END(name) TARE_EVENTS_PUT('s', TARE_EVENTS_KIND_END, name, 1, 0)
#define TARE_VALUE(name, value)                         \
  TARE_EVENTS_PUT('v', TARE_EVENTS_KIND_VALUE, name, 1, \
                  TARE_EVENTS_CAST(uint64_t, TARE_EVENTS_CAST(int64_t, (value))))

struct tare_events_span {
  uint32_t* site;
};
static inline __attribute__((always_inline)) void tare_events_span_ends(
    struct tare_events_span* span) {
  tare_events_put(span->site, 's', TARE_EVENTS_KIND_END, "", "", 0, 1, 0);
}

#define TARE_EVENTS_JOIN2(a, b) a##b
#define TARE_EVENTS_JOIN(a, b) TARE_EVENTS_JOIN2(a, b)
/* The attribute works in C and C++, and also when an exception leaves the block. */
#define TARE_SPAN(name)                                                                        \
  static uint32_t TARE_EVENTS_JOIN(tare_events_site_, __LINE__);                               \
  __attribute__((cleanup(tare_events_span_ends),                                               \
                 unused)) struct tare_events_span TARE_EVENTS_JOIN(tare_events_span_,          \
                                                                   __LINE__) = {               \
      &TARE_EVENTS_JOIN(tare_events_site_, __LINE__)};                                         \
  tare_events_put(&TARE_EVENTS_JOIN(tare_events_site_, __LINE__), 's', TARE_EVENTS_KIND_BEGIN, \
                  "" name, __FILE__, __LINE__, 1, 0)

#if defined(__cplusplus)
}
#endif

#endif /* TARE_EVENTS_OFF */
#endif /* TARE_EVENTS_H */
