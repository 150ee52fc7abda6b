/* signal_handlers.c: a list of addresses that only grows, so that it can be read without a lock. */
#include "signal_handlers.h"

#include <pthread.h>

enum { kMaxHandlers = 256 };

uint64_t signal_handlers_filter;

static uint64_t handlers[kMaxHandlers];
static unsigned handlers_used;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

bool signal_handlers_search(uint64_t address) {
  const unsigned used = __atomic_load_n(&handlers_used, __ATOMIC_ACQUIRE);
  for (unsigned i = 0; i < used; ++i) {
    if (handlers[i] == address) return true;
  }
  return false;
}

void signal_handlers_add(uint64_t address) {
  const uint64_t ignored = 1; /* SIG_DFL is 0, SIG_IGN is 1 */
  if (address <= ignored) return;
  pthread_mutex_lock(&adding);
  if (handlers_used < kMaxHandlers && !signal_handlers_search(address)) {
    handlers[handlers_used] = address;
    __atomic_store_n(&handlers_used, handlers_used + 1, __ATOMIC_RELEASE);
    __atomic_fetch_or(&signal_handlers_filter, signal_handlers_bit(address), __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&adding);
}
