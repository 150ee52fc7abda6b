/* signal_handlers.h: where signal handlers begin. Version 1 of QEMU's plugin interface does not
 * report signals, so a handler that starts is recognized by its address. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A bit for each address that may be a handler's, so that most addresses need no search. */
extern uint64_t signal_handlers_filter;

static inline uint64_t signal_handlers_bit(uint64_t address) {
  return UINT64_C(1) << ((address >> 2) & 63);
}

/* Remembers a handler that rt_sigaction(2) has installed. Not a function's address: ignored. */
void signal_handlers_add(uint64_t address);

bool signal_handlers_search(uint64_t address);

static inline bool signal_handlers_have(uint64_t address) {
  const uint64_t filter = __atomic_load_n(&signal_handlers_filter, __ATOMIC_RELAXED);
  return (filter & signal_handlers_bit(address)) != 0 && signal_handlers_search(address);
}
