/* stream.c: chunks for each thread's records of blocks and addresses.
 *
 * Linked only where code writes records. Without TARE_RUN's directory, or when the run requests it,
 * one chunk is filled again and again and its words are discarded. Otherwise each thread has a file
 * with a ring of chunks, and waits for the reader while all of them are full. */
#include "format/stream_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "module.h"
#include "system_call.h"

#define CHUNKS 8
#define STEP (2 * TARE_STREAM_CHUNK)
#define WAIT_NS 100000000
#define WAITS_FOR_FIRST_READER 50

extern const uint8_t __start_tare_stream[] __attribute__((weak, visibility("hidden")));
extern const uint8_t __stop_tare_stream[] __attribute__((weak, visibility("hidden")));

/* The TARE_STREAM_CHUNK bit is clear in addresses inside a chunk. It is set here, so that a
 * thread's first record calls tare_stream_flush(). */
TARE_HIDDEN __thread uint64_t tare_stream_cursor __attribute__((tls_model("initial-exec"))) =
    TARE_STREAM_NO_CHUNK;

static __thread struct tare_stream_header* header; /* 0: the thread's records are discarded */
static __thread uint8_t* chunk;                    /* the chunk that is being filled; 0: none yet */
static __thread uint32_t busy; /* a chunk is being changed; a signal handler must not */

static int wants_delivery(const struct tare_module* module) {
  struct tare_counters_request request;
  return tare_runtime_read_request(module, &request) && request.stream == TARE_STREAM_DELIVER;
}

/* "DIRECTORY/stream.PROCESS.THREAD.NUMBER"; the number is needed because thread IDs are reused. */
static long make_file(const struct tare_module* module) {
  for (uint64_t number = 0; number < 1000; ++number) {
    char name[TARE_PATH_ROOM + 96] = "";
    const int fits = tare_append(name, sizeof name, module->directory) &&
                     tare_append(name, sizeof name, "/" TARE_STREAM_FILE ".") &&
                     tare_append_number(name, sizeof name, (uint64_t)TARE_CALL0(getpid)) &&
                     tare_append(name, sizeof name, ".") &&
                     tare_append_number(name, sizeof name, (uint64_t)TARE_CALL0(gettid)) &&
                     tare_append(name, sizeof name, ".") &&
                     tare_append_number(name, sizeof name, number);
    if (!fits) return -ENAMETOOLONG;
    const long file =
        TARE_CALL4(openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file != -EEXIST) return file;
  }
  return -EEXIST;
}

static void fill_header(const struct tare_module* module, struct tare_stream_header* to) {
  to->version = TARE_STREAM_VERSION;
  to->architecture = module->plan.architecture;
  to->process = (uint64_t)TARE_CALL0(getpid);
  to->thread = (uint64_t)TARE_CALL0(gettid);
  to->first_at = STEP;
  to->chunks = CHUNKS;
  to->section_address = (uint64_t)__start_tare_stream;
  to->section_bytes = (uint64_t)(__stop_tare_stream - __start_tare_stream);
  to->load_bias = module->plan.load_bias;
  to->path_at = sizeof *to;
  while (module->path[to->path_bytes] != 0) ++to->path_bytes;
  ++to->path_bytes;
  tare_copy((uint8_t*)to + to->path_at, module->path, to->path_bytes);
  __atomic_store_n(&to->magic, TARE_STREAM_MAGIC, __ATOMIC_RELEASE);
}

/* Returns memory of STEP * steps bytes, aligned to STEP. */
static uint8_t* map_aligned(long file, uint64_t steps) {
  const uint64_t bytes = STEP * steps;
  const int protection = PROT_READ | PROT_WRITE;
  const int nowhere = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  const long region = TARE_CALL6(mmap, 0, bytes + STEP, protection, nowhere, -1, 0);
  if (tare_call_failed(region)) __builtin_trap(); /* there is no memory to write to */
  uint8_t* const start = (uint8_t*)tare_round_up((uint64_t)region, STEP);
  const uint64_t before = (uint64_t)(start - (uint8_t*)region);
  if (before > 0) TARE_CALL2(munmap, region, before);
  if (before < STEP) TARE_CALL2(munmap, start + bytes, STEP - before);
  if (file < 0) return start;
  const long mapped = TARE_CALL6(mmap, start, bytes, protection, MAP_SHARED | MAP_FIXED, file, 0);
  if (!tare_call_failed(mapped)) return start;
  TARE_CALL2(munmap, start, bytes);
  return 0;
}

static int begin_delivery(const struct tare_module* module) {
  const long file = make_file(module);
  if (tare_call_failed(file)) return 0;
  const uint64_t bytes = STEP * (CHUNKS + 1);
  uint8_t* base = 0;
  /* Reserves disk space now; a later store to a full disk would raise SIGBUS. */
  int has_room = tare_size_allowed(bytes) && !tare_call_failed(TARE_CALL2(ftruncate, file, bytes));
  for (uint64_t i = 0; i <= CHUNKS && has_room; ++i) {
    has_room = tare_reserve(file, STEP * i, TARE_STREAM_CHUNK);
  }
  if (has_room) base = map_aligned(file, CHUNKS + 1);
  TARE_CALL1(close, file);
  if (base == 0) return 0;
  header = (struct tare_stream_header*)(void*)base;
  fill_header(module, header);
  chunk = base + STEP;
  return 1;
}

static void begin_thread(void) {
  struct tare_module* const module = tare_runtime_module();
  header = 0;
  if (wants_delivery(module) && begin_delivery(module)) return;
  chunk = map_aligned(-1, 1);
}

static int is_gone(uint32_t process) { return TARE_CALL2(kill, process, 0) == -ESRCH; }

/* Waits until a chunk is free. Without a reader none ever will be; then records are discarded. */
static int wait_for_room(void) {
  for (int waits = 0;; ++waits) {
    const uint32_t taken = __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE);
    if (header->written - taken < CHUNKS) return 1;
    const struct timespec most = {0, WAIT_NS};
    TARE_CALL4(futex, &header->taken, FUTEX_WAIT, taken, &most);
    const uint32_t now = __atomic_load_n(&header->taken, __ATOMIC_ACQUIRE);
    const uint32_t reader = __atomic_load_n(&header->reader, __ATOMIC_ACQUIRE);
    if (reader == 0 ? waits >= WAITS_FOR_FIRST_READER : now == taken && is_gone(reader)) return 0;
  }
}

static void next_chunk(void) {
  if (header == 0) return; /* reuse the same chunk */
  __atomic_store_n(&header->written, header->written + 1, __ATOMIC_RELEASE);
  if (!wait_for_room()) {
    __atomic_store_n(&header->cut_short, 1, __ATOMIC_RELEASE);
    header = 0;
    chunk = map_aligned(-1, 1);
    return;
  }
  chunk = (uint8_t*)header + STEP * (1 + header->written % CHUNKS);
}

/* Called with the cursor past a record of `words` words that does not fit the chunk. Returns where
 * the record may begin. */
TARE_HIDDEN __attribute__((preserve_most)) uint64_t tare_stream_flush(uint64_t words) {
  const int error = errno;
  if (busy) { /* a signal handler interrupted this function; its record is discarded */
    static uint8_t discarded[8 * TARE_STREAM_RECORD_WORDS];
    return (uint64_t)discarded;
  }
  busy = 1;
  if (chunk == 0) {
    begin_thread();
  } else {
    next_chunk();
  }
  tare_stream_cursor = (uint64_t)chunk + 8 * words;
  busy = 0;
  errno = error;
  return (uint64_t)chunk;
}

/* The child must not write to the parent's chunks. */
static void after_fork(void) {
  header = 0;
  chunk = 0;
  tare_stream_cursor = TARE_STREAM_NO_CHUNK;
}

__attribute__((constructor(1))) static void begin(void) { pthread_atfork(0, 0, after_fork); }
