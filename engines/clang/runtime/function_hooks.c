/* function_hooks.c: the hooks that gcc's -finstrument-functions calls at function entry and exit.
 *
 * Linked only into modules that call them. A table in the file maps a function's address to its
 * slot. The table is lock-free, and a signal handler may interrupt between any two instructions. */
#include "module.h"

TARE_HIDDEN const uint64_t tare_runtime_has_hooks = 1;

TARE_HIDDEN void __cyg_profile_func_enter(void* function, void* caller);
TARE_HIDDEN void __cyg_profile_func_exit(void* function, void* caller);

/* Returns the entry of an address, adding it if needed; 0: the table is full. */
static struct tare_counters_function* entry_of(const struct tare_module* module, uint64_t address) {
  const uint64_t mask = module->plan.functions_room - 1;
  uint64_t at = (address * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
  for (uint64_t tries = 0; tries <= mask; ++tries, ++at) {
    struct tare_counters_function* const entry = &module->functions[at & mask];
    uint64_t there = __atomic_load_n(&entry->address, __ATOMIC_ACQUIRE);
    if (there == 0 && __atomic_compare_exchange_n(&entry->address, &there, address, 0,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      return entry;
    }
    if (there == address) return entry;
  }
  return 0;
}

/* Two concurrent calls may both take a slot; then one of the two stays unused. 0: no slot. */
static uint64_t slot_and_one(const struct tare_module* module,
                             struct tare_counters_function* entry) {
  uint64_t there = __atomic_load_n(&entry->slot_and_one, __ATOMIC_ACQUIRE);
  if (there != 0) return there;
  uint64_t* const used = &module->shared->functions_used;
  if (__atomic_load_n(used, __ATOMIC_RELAXED) >= module->plan.function_slots) return 0;
  const uint64_t number = __atomic_fetch_add(used, 1, __ATOMIC_RELAXED);
  if (number >= module->plan.function_slots) return 0;
  const uint64_t made = module->plan.function_slot + number + 1;
  const int mine = __atomic_compare_exchange_n(&entry->slot_and_one, &there, made, 0,
                                               __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return mine ? made : there;
}

TARE_HIDDEN void __cyg_profile_func_enter(void* function, void* caller) {
  (void)caller;
  int64_t delta = tare_counters_delta;
  if (delta == 0) delta = tare_counters_claim();
  const struct tare_module* const module = tare_runtime_module();
  struct tare_counters_function* const entry =
      entry_of(module, (uint64_t)function - module->plan.load_bias);
  const uint64_t slot = entry == 0 ? 0 : slot_and_one(module, entry);
  if (slot == 0 || slot > module->plan.slots) {
    __atomic_fetch_add(&module->shared->functions_lost, 1, __ATOMIC_RELAXED);
    return;
  }
  uint64_t* const bank = (uint64_t*)(module->plan.counters_address + (uint64_t)delta);
  /* A signal handler may enter the same function here. */
  __atomic_fetch_add(&bank[slot - 1], 1, __ATOMIC_RELAXED);
}

TARE_HIDDEN void __cyg_profile_func_exit(void* function, void* caller) {
  (void)function;
  (void)caller;
}
