/* storage.c: creates the file that a module counts into, or private memory in its place. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "module.h"
#include "system_call.h"

#if !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23
#endif

/* With more files of one process, the directory is not one of tare's. */
#define MAX_FILES 1000000

/* Writes "DIRECTORY/PROCESS.NUMBER" to module->name; returns 0 when it is too long. */
static int name_file(struct tare_module* module, uint64_t number) {
  module->name[0] = 0;
  return tare_append(module->name, sizeof module->name, module->directory) &&
         tare_append(module->name, sizeof module->name, "/") &&
         tare_append_number(module->name, sizeof module->name, module->plan.process) &&
         tare_append(module->name, sizeof module->name, ".") &&
         tare_append_number(module->name, sizeof module->name, number);
}

/* Above RLIMIT_FSIZE, ftruncate(2) fails and also raises SIGXFSZ, which kills the process. */
int tare_size_allowed(uint64_t bytes) {
  struct rlimit limit;
  const long result = TARE_CALL4(prlimit64, 0, RLIMIT_FSIZE, 0, &limit);
  return !tare_call_failed(result) && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

static long make_empty_file(struct tare_module* module) {
  const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  for (uint64_t number = 0; number < MAX_FILES; ++number) {
    if (!name_file(module, number)) return -ENAMETOOLONG;
    const long file = TARE_CALL4(openat, AT_FDCWD, module->name, flags, 0600);
    if (file != -EEXIST && file != -EINTR) return file;
    if (file == -EINTR) --number;
  }
  return -EEXIST;
}

/* A store to a mapped page without disk space would raise SIGBUS. File systems without fallocate(2)
 * are assumed to have room. */
int tare_reserve(long file, uint64_t from, uint64_t bytes) {
  /* A signal interrupts fallocate(2): with those of a timer, it might never end. A stop does so
   * even if all signals are blocked. */
  const uint64_t all = ~UINT64_C(0);
  uint64_t before = 0;
  TARE_CALL4(rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
  long result = -EINTR;
  for (int tries = 0; tries < 100 && result == -EINTR; ++tries) {
    result = TARE_CALL4(fallocate, file, 0, from, bytes);
  }
  TARE_CALL4(rt_sigprocmask, SIG_SETMASK, &before, 0, sizeof before);
  return result != -EINTR && result != -ENOSPC && result != -EDQUOT && result != -EFBIG;
}

static int map_file(struct tare_module* module, long file, int64_t bank) {
  const struct tare_counters_header* plan = &module->plan;
  if (tare_call_failed(TARE_CALL2(ftruncate, file, module->file_bytes))) return 0;
  if (!tare_reserve(file, 0, plan->samples_at)) return 0;
  if (bank >= 0 &&
      !tare_reserve(file, plan->banks_at + (uint64_t)bank * plan->bank_bytes, plan->bank_bytes)) {
    return 0;
  }
  return !tare_call_failed(TARE_CALL6(mmap, module->shared, module->file_bytes,
                                      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0));
}

TARE_HIDDEN int tare_runtime_make_file(struct tare_module* module, int64_t bank) {
  if (module->directory[0] == 0 || !tare_size_allowed(module->file_bytes)) return 0;
  const long file = make_empty_file(module);
  if (tare_call_failed(file)) return 0;
  const int made = map_file(module, file, bank);
  TARE_CALL1(close, file);
  if (!made) TARE_CALL3(unlinkat, AT_FDCWD, module->name, 0);
  module->observed = made;
  return made;
}

TARE_HIDDEN int tare_runtime_read_request(const struct tare_module* module,
                                          struct tare_counters_request* request) {
  char name[TARE_PATH_ROOM + 16];
  name[0] = 0;
  if (module->directory[0] == 0 || !tare_append(name, sizeof name, module->directory) ||
      !tare_append(name, sizeof name, "/" TARE_RUN_REQUEST)) {
    return 0;
  }
  /* O_NONBLOCK: a FIFO of that name must not block the program. */
  const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  const long file = TARE_CALL4(openat, AT_FDCWD, name, flags, 0);
  if (tare_call_failed(file)) return 0;
  const long got = TARE_CALL3(read, file, request, sizeof *request);
  TARE_CALL1(close, file);
  return got == (long)sizeof *request && request->version == TARE_COUNTERS_VERSION;
}

TARE_HIDDEN int tare_runtime_populate(const struct tare_module* module, uint64_t from,
                                      uint64_t bytes) {
  const uint64_t start = from / module->page_bytes * module->page_bytes;
  const uint64_t end = tare_round_up(from + bytes, module->page_bytes);
  const long result = TARE_CALL3(madvise, start, end - start, MADV_POPULATE_WRITE);
  return !tare_call_failed(result) || result == -EINVAL; /* MADV_POPULATE_WRITE needs Linux 5.14 */
}

TARE_HIDDEN void tare_runtime_map_private(struct tare_module* module) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  TARE_CALL6(mmap, module->shared, module->file_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

TARE_HIDDEN void tare_runtime_fill(const struct tare_module* module) {
  const struct tare_counters_header* plan = &module->plan;
  uint8_t* const base = (uint8_t*)module->shared;
  tare_copy(base, plan, sizeof *plan);
  tare_copy(base + plan->path_at, module->path, plan->path_bytes);
  tare_copy(base + plan->units_at, (const void*)plan->units_address, plan->units_bytes);
}

TARE_HIDDEN void tare_runtime_publish(const struct tare_module* module) {
  __atomic_store_n(&module->shared->magic, TARE_COUNTERS_MAGIC, __ATOMIC_RELEASE);
}
