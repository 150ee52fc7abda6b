/* begin.c: sets up the module's memory at its first use, after fork, and at its end.
 *
 * Each thread that finds no memory creates it and publishes it with a compare-and-exchange; the
 * losers free theirs. So no thread waits, and a signal handler may interrupt between any two
 * instructions. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "module.h"
#include "system_call.h"

static struct tare_module* known_module;

TARE_HIDDEN struct tare_module* tare_runtime_known_module(void) {
  return __atomic_load_n(&known_module, __ATOMIC_ACQUIRE);
}

/* Whether `entry` is the variable; then copies its value to `directory` if it can be one. */
static int is_variable(const char* entry, void* directory) {
  static const char variable[] = TARE_RUN_VARIABLE "=";
  uint64_t same = 0;
  while (variable[same] != 0 && entry[same] == variable[same]) ++same;
  if (variable[same] != 0) return 0;
  if (entry[same] != '/' || !tare_append(directory, TARE_PATH_ROOM, entry + same)) {
    *(char*)directory = 0;
  }
  return 1;
}

static void find_directory(struct tare_module* module) {
  if (getauxval(AT_SECURE) != 0) return;
  if (environ == 0) { /* before the C library's own constructors */
    tare_runtime_find_piece(module, "/proc/self/environ", 0, is_variable, module->directory);
    return;
  }
  for (char** entry = environ; *entry != 0; ++entry) {
    if (is_variable(*entry, module->directory)) return;
  }
}

static long reserve_region(uint64_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  return TARE_CALL6(mmap, 0, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

/* Most of the region is address space for threads' banks; it shrinks where address space is
 * limited. */
static struct tare_module* make_region(struct tare_module* draft, int* is_new) {
  tare_runtime_lay_out(draft);
  if (draft->plan.is_library) {
    struct tare_module* const found = tare_runtime_find_place(draft, is_new);
    if (found != 0) return found;
  }
  *is_new = 1;
  for (;; draft->plan.banks /= 2) {
    tare_runtime_lay_out(draft);
    const long region = reserve_region(draft->region_bytes);
    if (!tare_call_failed(region)) return (struct tare_module*)region;
    /* There is no memory to count to, and instrumented code cannot run without it. */
    if (draft->plan.banks <= 1) __builtin_trap();
  }
}

static void set_places(struct tare_module* module) {
  uint8_t* const base = (uint8_t*)module + TARE_LARGEST_PAGE;
  module->shared = (struct tare_counters_header*)(void*)base;
  module->owners = (uint64_t*)(void*)(base + module->plan.owners_at);
  module->functions = (struct tare_counters_function*)(void*)(base + module->plan.functions_at);
  module->banks = base + module->plan.banks_at;
  module->scratch = base + tare_round_up(module->file_bytes, TARE_LARGEST_PAGE);
}

/* Not on the stack, because a signal handler's stack may be small. */
static struct tare_module* make_draft(void) {
  const long draft = reserve_region(TARE_LARGEST_PAGE);
  if (tare_call_failed(draft)) __builtin_trap();
  return (struct tare_module*)draft;
}

static struct tare_module* make_module(void) {
  struct tare_module* const draft = make_draft();
  tare_runtime_describe(draft);
  find_directory(draft);
  if (draft->directory[0] != 0) tare_runtime_find_path(draft);
  tare_runtime_plan_samples(draft);
  int is_new = 0;
  struct tare_module* const module = make_region(draft, &is_new);
  if (is_new) {
    tare_copy(module, draft, sizeof *module);
    set_places(module);
    if (tare_runtime_make_file(module, -1)) tare_runtime_fill(module);
  }
  TARE_CALL2(munmap, draft, TARE_LARGEST_PAGE);
  return module;
}

static void take_back(struct tare_module* module) {
  if (module->shared->magic != 0) { /* left by an earlier load */
    __atomic_store_n(&module->shared->state, TARE_COUNTERS_ENDED, __ATOMIC_RELEASE);
    tare_runtime_leave(module);
    return;
  }
  if (module->observed) TARE_CALL3(unlinkat, AT_FDCWD, module->name, 0);
  TARE_CALL2(munmap, module, module->region_bytes);
}

TARE_HIDDEN struct tare_module* tare_runtime_module(void) {
  struct tare_module* known = tare_runtime_known_module();
  if (known != 0) return known;
  const int error = errno;
  struct tare_module* const made = make_module();
  errno = error;
  if (!__atomic_compare_exchange_n(&known_module, &known, made, 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    take_back(made);
    return known;
  }
  tare_runtime_publish(made);
  return made;
}

/* The thread that forked keeps its bank, at the same address. */
static void give_bank_to_child(struct tare_module* module, int64_t bank) {
  struct tare_counters_header* const shared = module->shared;
  for (uint64_t i = 0; i < shared->banks_used && i < module->plan.banks; ++i) {
    module->owners[i] = TARE_OWNER_NONE;
  }
  shared->banks_used = (uint64_t)(bank + 1);
  if (bank >= 0) {
    module->owners[bank] = (uint64_t)TARE_CALL0(gettid);
  } else if (tare_counters_delta != 0) {
    shared->lost_threads = 1; /* it had none in its parent */
  }
}

static int64_t bank_of_thread(const struct tare_module* module) {
  if (tare_counters_delta == 0) return -1;
  const uint64_t address = module->plan.counters_address + (uint64_t)tare_counters_delta;
  const uint64_t bank = (address - (uint64_t)module->banks) / module->plan.bank_bytes;
  return bank < module->plan.banks ? (int64_t)bank : -1;
}

static void after_fork(void) {
  struct tare_module* const module = tare_runtime_known_module();
  if (module == 0) return;
  const int64_t bank = bank_of_thread(module);
  struct tare_counters_header* const plan = &module->plan;
  plan->parent_process = plan->process;
  plan->process = (uint64_t)TARE_CALL0(getpid);
  plan->samples_room = 0;
  tare_runtime_forget_samples();
  const int was_observed = module->observed;
  if (tare_runtime_make_file(module, bank)) {
    tare_runtime_fill(module);
  } else if (was_observed) {
    __atomic_fetch_add(&module->shared->lost_children, 1, __ATOMIC_RELAXED);
    module->observed = 0;
    module->directory[0] = 0;
    tare_runtime_map_private(module);
  }
  give_bank_to_child(module, bank);
  tare_runtime_publish(module);
}

__attribute__((constructor(0))) static void begin(void) {
  struct tare_module* const module = tare_runtime_module();
  const int error = errno;
  pthread_atfork(0, 0, after_fork);
  tare_runtime_start_samples(module);
  errno = error;
}

__attribute__((destructor(0))) static void end(void) {
  struct tare_module* const module = tare_runtime_known_module();
  if (module == 0) return;
  tare_runtime_end_samples(module);
  __atomic_store_n(&module->shared->state, TARE_COUNTERS_ENDED, __ATOMIC_RELEASE);
  if (module->plan.is_library) tare_runtime_leave(module);
}
