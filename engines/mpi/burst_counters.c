/* burst_counters.c: compares the calling thread's counters with what they were.
 *
 * The runtime in each module built by tare-cc counts into a file of the directory TARE_RUN. They
 * are mapped here once more, read-only. A module that is loaded after MPI_Init is not seen. */
#include "burst_counters.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/counters_wire.h"
#include "format/mpi_wire.h"
#include "recorder.h"

#define MAX_MODULES 64u
#define MAX_FILES 4096u
/* Two numbers of LEB128: the deltas of all slots fit into a record. */
#define MAX_SLOTS (TARE_MPI_RECORD_BYTES / 20u)
/* Reading may take this part of the computation. */
#define MIN_BURSTS_PER_READ 50u
#define MIN_BURST_NS UINT64_C(10000)
#define SLOTS_AT_A_TIME 8u

struct module {
  const unsigned char* file;
  uint64_t file_bytes;
  const struct tare_counters_header* header;
  uint32_t first_slot;
  uint32_t slots;
};

static struct {
  struct module modules[MAX_MODULES];
  uint32_t count;
  uint32_t slots;      /* of all modules */
  uint32_t generation; /* changes when the above do */
  pthread_key_t at_end_of_thread;
  int has_key;
} counters;

/* What a thread saw last. */
static __thread struct {
  uint32_t generation;
  uint64_t pending_ns; /* computation since the last time */
  uint64_t wanted_ns;  /* as much is needed before the next */
  uint64_t cost_ns;    /* of the quickest time */
  const uint64_t* banks[MAX_MODULES];
  uint64_t* seen; /* by slot; followed by the deltas */
  uint64_t seen_bytes;
  struct tare_counter_delta* deltas;
} thread __attribute__((tls_model("initial-exec")));

static void end_thread(void* unused) {
  (void)unused;
  if (thread.seen != NULL) munmap(thread.seen, thread.seen_bytes);
  thread.seen = NULL;
  thread.generation = 0;
}

static int fits(uint64_t file_bytes, uint64_t at, uint64_t count, uint64_t bytes) {
  return at % 8 == 0 && at <= file_bytes && count <= (file_bytes - at) / (bytes == 0 ? 1 : bytes);
}

static int is_sound(const struct tare_counters_header* header, uint64_t bytes) {
  return __atomic_load_n(&header->magic, __ATOMIC_ACQUIRE) == TARE_COUNTERS_MAGIC &&
         header->version == TARE_COUNTERS_VERSION && header->process == (uint64_t)getpid() &&
         header->slots > 0 && header->slots <= MAX_SLOTS &&
         header->slots * 8 <= header->bank_bytes &&
         fits(bytes, header->path_at, header->path_bytes, 1) &&
         fits(bytes, header->owners_at, header->banks, 8) &&
         fits(bytes, header->banks_at, header->banks, header->bank_bytes);
}

static void close_module(struct module* module) { munmap((void*)module->file, module->file_bytes); }

static int map_module(const char* path, struct module* module) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat status;
  if (file < 0) return 0;
  void* mapped = MAP_FAILED;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      (uint64_t)status.st_size >= sizeof *module->header) {
    mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
  }
  close(file);
  if (mapped == MAP_FAILED) return 0;
  module->file = mapped;
  module->file_bytes = (uint64_t)status.st_size;
  module->header = mapped;
  if (is_sound(module->header, module->file_bytes)) return 1;
  close_module(module);
  return 0;
}

static void close_all(void) {
  for (uint32_t i = 0; i < counters.count; ++i) close_module(&counters.modules[i]);
  counters.count = 0;
  counters.slots = 0;
}

/* A program that this process executed before has files with the same process ID. */
static void add_module(struct module module) {
  if (counters.count > 0 && counters.modules[0].header->image != module.header->image) close_all();
  if (counters.count == MAX_MODULES || module.header->slots > MAX_SLOTS - counters.slots) {
    close_module(&module);
    return;
  }
  module.first_slot = counters.slots;
  module.slots = (uint32_t)module.header->slots;
  counters.slots += module.slots;
  counters.modules[counters.count++] = module;
}

uint32_t tare_counters_open(void) {
  const char* directory = getenv(TARE_RUN_VARIABLE);
  close_all();
  if (!counters.has_key) {
    counters.has_key = pthread_key_create(&counters.at_end_of_thread, end_thread) == 0;
  }
  ++counters.generation;
  if (directory == NULL || directory[0] != '/') return 0;
  for (uint32_t number = 0; number < MAX_FILES; ++number) {
    char path[PATH_MAX];
    struct module module;
    const int length = snprintf(path, sizeof path, "%s/%d.%u", directory, (int)getpid(), number);
    if (length < 0 || length >= (int)sizeof path || access(path, R_OK) != 0) break;
    if (map_module(path, &module)) add_module(module);
  }
  return counters.count;
}

struct tare_counter_module tare_counters_module(uint32_t number) {
  const struct module* module = &counters.modules[number];
  const char* path = (const char*)module->file + module->header->path_at;
  uint32_t bytes = 0;
  while (bytes < module->header->path_bytes && bytes < PATH_MAX && path[bytes] != 0) ++bytes;
  return (struct tare_counter_module){path, bytes, module->first_slot, module->slots};
}

/* Null until the thread enters a function of the module. */
static const uint64_t* find_bank(const struct module* module, uint64_t owner) {
  const struct tare_counters_header* header = module->header;
  const uint64_t* owners = (const uint64_t*)(module->file + header->owners_at);
  uint64_t used = __atomic_load_n(&header->banks_used, __ATOMIC_ACQUIRE);
  if (used > header->banks) used = header->banks;
  for (uint64_t bank = 0; bank < used; ++bank) {
    if (__atomic_load_n(&owners[bank], __ATOMIC_ACQUIRE) != owner) continue;
    return (const uint64_t*)(module->file + header->banks_at + bank * header->bank_bytes);
  }
  return NULL;
}

static void begin_thread(void) {
  end_thread(NULL);
  thread.generation = counters.generation;
  thread.cost_ns = UINT64_MAX;
  for (uint32_t i = 0; i < MAX_MODULES; ++i) thread.banks[i] = NULL;
  thread.seen_bytes = counters.slots * (uint64_t)(sizeof *thread.seen + sizeof *thread.deltas);
  void* room =
      mmap(NULL, thread.seen_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return;
  thread.seen = room;
  thread.deltas = (struct tare_counter_delta*)(thread.seen + counters.slots);
  if (counters.has_key) pthread_setspecific(counters.at_end_of_thread, room);
}

static uint32_t read_module(const struct module* module, const uint64_t* bank, uint32_t count) {
  uint64_t* seen = thread.seen + module->first_slot;
  for (uint32_t first = 0; first < module->slots; first += SLOTS_AT_A_TIME) {
    const uint32_t end =
        module->slots - first < SLOTS_AT_A_TIME ? module->slots : first + SLOTS_AT_A_TIME;
    uint64_t differs = 0;
    for (uint32_t slot = first; slot < end; ++slot) differs |= bank[slot] ^ seen[slot];
    if (differs == 0) continue;
    for (uint32_t slot = first; slot < end; ++slot) {
      const uint64_t value = bank[slot];
      if (value == seen[slot]) continue;
      thread.deltas[count++] =
          (struct tare_counter_delta){module->first_slot + slot, value - seen[slot]};
      seen[slot] = value;
    }
  }
  return count;
}

static uint32_t read_all(void) {
  const uint64_t owner = (uint64_t)syscall(SYS_gettid);
  uint32_t count = 0;
  for (uint32_t i = 0; i < counters.count; ++i) {
    const struct module* module = &counters.modules[i];
    if (thread.banks[i] == NULL) thread.banks[i] = find_bank(module, owner);
    if (thread.banks[i] != NULL) count = read_module(module, thread.banks[i], count);
  }
  return count;
}

/* A reading that was interrupted must not make the next ones rare. */
static uint64_t wanted_after(uint64_t cost_ns) {
  if (cost_ns < thread.cost_ns) thread.cost_ns = cost_ns;
  if (cost_ns / 2 > thread.cost_ns) cost_ns = 2 * thread.cost_ns;
  const uint64_t wanted = MIN_BURSTS_PER_READ * cost_ns;
  return wanted > MIN_BURST_NS ? wanted : MIN_BURST_NS;
}

void tare_counters_pending(uint64_t burst_ns) { thread.pending_ns += burst_ns; }

struct tare_counter_deltas tare_counters_burst(uint64_t burst_ns, int must) {
  const struct tare_counter_deltas none = {NULL, 0};
  if (counters.count == 0) return none;
  const int is_new = thread.generation != counters.generation;
  thread.pending_ns += burst_ns;
  if (!is_new && !must && thread.pending_ns < thread.wanted_ns) return none;
  if (is_new) begin_thread();
  if (thread.seen == NULL) return none;
  const uint64_t before = tare_now();
  const uint32_t count = read_all();
  thread.wanted_ns = wanted_after(tare_now() - before);
  thread.pending_ns = 0;
  /* What a new thread gained before is unknown. */
  return is_new ? none : (struct tare_counter_deltas){thread.deltas, count};
}

/* The memory of other threads of the parent is not freed: it is shared until somebody writes. */
void tare_counters_forget(void) {
  counters.count = 0;
  counters.slots = 0;
}
