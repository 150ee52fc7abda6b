// counted.h: does by hand what tare-cc's compiler plugin does to a translation unit.
#pragma once

#include <stdint.h>

#include "format/counters_wire.h"

#if defined(__clang__)
#define COUNTED_CLAIM __attribute__((preserve_most, visibility("hidden")))
#else
#define COUNTED_CLAIM __attribute__((visibility("hidden")))
#endif

extern __thread int64_t tare_counters_delta
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern int64_t tare_counters_claim(void) COUNTED_CLAIM;

extern uint64_t counted_slots[] __attribute__((visibility("hidden")));

// A unit with `slots` counters and the lines of its text. In assembly, because differences of
// addresses are not constant expressions in C.
#define COUNTED_UNIT(slots, lines)          \
  __asm__(                                  \
      ".pushsection tare_counters,\"aw\"\n" \
      ".balign 8\n"                         \
      ".globl counted_slots\n"              \
      ".hidden counted_slots\n"             \
      "counted_slots: .zero 8*" #slots      \
      "\n"                                  \
      ".popsection\n"                       \
      ".pushsection tare_units,\"aw\"\n"    \
      ".balign 8\n"                         \
      "10: .8byte 15f-10b\n"                \
      ".8byte 0x7a6e\n"                     \
      "11: .8byte counted_slots-11b\n"      \
      ".8byte " #slots                      \
      "\n"                                  \
      ".8byte 13f-12f\n"                    \
      "12: .ascii " #lines                  \
      "\n"                                  \
      "13: .balign 8\n"                     \
      "15:\n"                               \
      ".popsection\n")

static inline uint64_t* counted_place(unsigned slot) {
  int64_t delta = tare_counters_delta;
  if (delta == 0) delta = tare_counters_claim();
  return (uint64_t*)((uintptr_t)&counted_slots[slot] + (uintptr_t)delta);
}

static inline void counted_add(unsigned slot, uint64_t amount) {
  volatile uint64_t* const place = counted_place(slot);
  *place = *place + amount;
}

// The same for code that a signal handler may interrupt.
static inline void counted_add_at_once(unsigned slot, uint64_t amount) {
  __atomic_fetch_add(counted_place(slot), amount, __ATOMIC_RELAXED);
}

// Stores a maximum as the plugin does.
static inline void counted_raise(unsigned slot, uint64_t value) {
  volatile uint64_t* const place = counted_place(slot);
  if (*place < value) *place = value;
}

// The unit that most programs here use.
enum { COUNTED_CALLS, COUNTED_OTHERS, COUNTED_LARGEST, COUNTED_LEAST, COUNTED_SIZES };
#define COUNTED_STANDARD_UNIT                                                                \
  COUNTED_UNIT(69,                                                                           \
               "metric\tcalls\tcount\t0\nfunction\tothers\t1\nmetric\tlargest\tmaximum\t2\n" \
               "metric\tleast\tsigned-minimum\t3\nmetric\tsizes\thistogram\t4\n")
