/* claim.c: assigns a bank to a thread at the first instrumented function that it enters. */
#include <errno.h>

#include "module.h"
#include "system_call.h"

/* Above this number, banks of threads that have ended are reused. */
#define BANKS_BEFORE_REUSE 64
/* How many owners one claim checks while there are unused banks. */
#define FEW_OWNERS 64

TARE_HIDDEN __thread int64_t tare_counters_delta __attribute__((tls_model("initial-exec"))) = 0;

static int has_room(const struct tare_module* module, uint64_t bank) {
  const uint64_t from = (uint64_t)module->banks + bank * module->plan.bank_bytes;
  return !module->observed || tare_runtime_populate(module, from, module->plan.bank_bytes);
}

static uint64_t used_banks(const struct tare_module* module) {
  const uint64_t used = __atomic_load_n(&module->shared->banks_used, __ATOMIC_ACQUIRE);
  return used < module->plan.banks ? used : module->plan.banks;
}

/* Finds the bank of a library that was loaded again, or of an ended thread with the same ID. */
static int64_t own_bank(const struct tare_module* module, uint64_t thread) {
  const uint64_t used = used_banks(module);
  for (uint64_t i = 0; i < used; ++i) {
    if (__atomic_load_n(&module->owners[i], __ATOMIC_ACQUIRE) == thread) return (int64_t)i;
  }
  return -1;
}

/* Also true when another process has reused the ID: tgkill(2) then fails with ESRCH as well. */
static int has_ended(const struct tare_module* module, uint64_t thread) {
  return TARE_CALL3(tgkill, module->plan.process, thread, 0) == -ESRCH;
}

static int64_t bank_of_the_dead(const struct tare_module* module, uint64_t thread, uint64_t most) {
  static uint64_t next;
  const uint64_t used = used_banks(module);
  for (uint64_t i = 0; i < used && i < most; ++i) {
    const uint64_t bank = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % used;
    uint64_t owner = __atomic_load_n(&module->owners[bank], __ATOMIC_ACQUIRE);
    if (owner == TARE_OWNER_NONE || owner == TARE_OWNER_FOR_EVER || !has_ended(module, owner)) {
      continue;
    }
    if (__atomic_compare_exchange_n(&module->owners[bank], &owner, thread, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED)) {
      return (int64_t)bank;
    }
  }
  return -1;
}

static int64_t new_bank(const struct tare_module* module, uint64_t thread) {
  uint64_t used = used_banks(module);
  do {
    if (used >= module->plan.banks) return -1;
  } while (!__atomic_compare_exchange_n(&module->shared->banks_used, &used, used + 1, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  if (!has_room(module, used)) return -1;
  __atomic_store_n(&module->owners[used], thread, __ATOMIC_RELEASE);
  return (int64_t)used;
}

static int64_t find_bank(const struct tare_module* module) {
  const uint64_t thread = (uint64_t)TARE_CALL0(gettid);
  /* A child of vfork or clone shares this thread-local memory with a thread whose ID is unknown
   * here and which will continue to use the bank. */
  if ((uint64_t)TARE_CALL0(getpid) != module->plan.process) {
    return new_bank(module, TARE_OWNER_FOR_EVER);
  }
  int64_t bank = own_bank(module, thread);
  if (bank < 0 && used_banks(module) >= BANKS_BEFORE_REUSE) {
    bank = bank_of_the_dead(module, thread, FEW_OWNERS);
  }
  if (bank < 0) bank = new_bank(module, thread);
  if (bank < 0) bank = bank_of_the_dead(module, thread, module->plan.banks);
  return bank;
}

TARE_HIDDEN __attribute__((preserve_most)) int64_t tare_counters_claim(void) {
  struct tare_module* const module = tare_runtime_module();
  const int64_t bank = find_bank(module);
  const uint8_t* place = module->scratch;
  if (bank >= 0) {
    place = module->banks + (uint64_t)bank * module->plan.bank_bytes;
  } else {
    __atomic_fetch_add(&module->shared->lost_threads, 1, __ATOMIC_RELAXED);
  }
  tare_counters_delta = (int64_t)((uint64_t)place - module->plan.counters_address);
  return tare_counters_delta;
}
