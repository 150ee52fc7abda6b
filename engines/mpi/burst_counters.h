/* burst_counters.h: what the counters of a program built by tare-cc gained between two calls. */
#pragma once

#include <stdint.h>

struct tare_counter_delta {
  uint32_t slot;
  uint64_t increase;
};

struct tare_counter_deltas {
  const struct tare_counter_delta* list; /* by slot; valid until the thread's next call */
  uint32_t count;
};

struct tare_counter_module {
  const char* path; /* not zero-terminated */
  uint32_t path_bytes;
  uint32_t first_slot;
  uint32_t slots;
};

/* Maps the counters of this process. Called before the first event of a file; returns the number of
 * modules. */
uint32_t tare_counters_open(void);
struct tare_counter_module tare_counters_module(uint32_t module);

/* A burst of this thread has ended. Returns what its counters gained since the last time that it
 * returned something; nothing while the computation since then is short beside the time that
 * reading takes, unless `must`. */
struct tare_counter_deltas tare_counters_burst(uint64_t burst_ns, int must);

/* The same for a burst that ended in a call whose record has no counters. */
void tare_counters_pending(uint64_t burst_ns);

/* The process was forked: its counters are elsewhere. */
void tare_counters_forget(void);
