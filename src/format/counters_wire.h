/* counters_wire.h: counters of a program built by tare-cc, in memory shared with tare.
 *
 * Plain C, included by the runtime inside the program, by the compiler plugin and by tare. Each
 * module (the program and each of its libraries built by tare-cc) has its own file in the directory
 * TARE_RUN. The file is named "PROCESS.NUMBER", with the first free number:
 *
 *   header | path of the module | units | owners | functions | samples | banks
 *
 * The file is created with its full size and is sparse. A bank belongs to one thread at a time,
 * which adds to it without a lock. The counts of a thread remain after it ends, and the next owner
 * of the bank continues from them. Readers sum all banks. docs/formats/counters.md documents the
 * format.
 *
 * A bank is `slots` 64-bit counters: first those of the units (in the order of section
 * tare_counters), then those of functions reported by gcc's instrumentation hooks. */
#pragma once

#include <stdint.h>

#if defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#define TARE_COUNTERS_MAGIC UINT64_C(0x3172746e63657274) /* the bytes "trecntr1" */
#define TARE_COUNTERS_VERSION 1u

/* The run's directory, an absolute path. Without it a program counts into private memory that is
 * never read. */
#define TARE_RUN_VARIABLE "TARE_RUN"
/* A file in that directory with a tare_counters_request; it may be absent. */
#define TARE_RUN_REQUEST "request"

/* Sections of a module, all with __start_ and __stop_ symbols. */
#define TARE_COUNTERS_SECTION "tare_counters" /* defines the size of a bank; never written to */
#define TARE_UNITS_SECTION "tare_units"       /* one tare_counters_unit per translation unit */
#define TARE_SITES_SECTION "tare_sites"  /* the sites of all increments: see tare_counters_site */
#define TARE_NAMES_SECTION ".tare_names" /* not loaded: the names that a metric can select */

enum tare_counters_state {
  TARE_COUNTERS_RUNNING = 0, /* running, or ended without notice (_exit, a signal, execve) */
  TARE_COUNTERS_ENDED = 1    /* exit, return from main, or dlclose of the library */
};

/* All offsets (*_at) are from the start of the file. */
struct tare_counters_header {
  uint64_t magic; /* stored last: without it the file is not complete yet */
  uint32_t version;
  uint32_t architecture; /* e_machine of ELF */
  uint32_t state;
  uint32_t is_library; /* 0: the program itself */
  uint64_t process;
  uint64_t parent_process; /* the process that forked this one; 0: not forked */
  uint64_t image;          /* the same for all modules of a process between two execve calls */
  uint64_t load_bias;      /* address in memory minus address in the file */
  uint64_t path_at;        /* path, zero-terminated */
  uint64_t path_bytes;     /* including the terminating zero */
  uint64_t units_at;       /* a copy of the module's units */
  uint64_t units_bytes;
  uint64_t units_address;    /* address of the original units in memory */
  uint64_t counters_address; /* address of section tare_counters in memory */
  uint64_t owners_at;        /* one 64-bit owner per bank */
  uint64_t functions_at;     /* tare_counters_function table, for gcc's hooks */
  uint64_t functions_room;   /* number of entries; 0: no hooks */
  uint64_t functions_used;   /* slots assigned to functions; can exceed function_slots */
  uint64_t functions_lost;   /* calls of functions that found no free entry */
  uint64_t function_slot;    /* first slot of functions */
  uint64_t function_slots;
  uint64_t samples_at;         /* ring buffer of the signal sampler's records */
  uint64_t samples_room;       /* number of records; 0: no sampling */
  uint64_t sample_values;      /* 64-bit values per record */
  uint64_t samples_written;    /* by the program; record n is at index n modulo samples_room */
  uint64_t samples_taken;      /* by the reader */
  uint64_t samples_lost;       /* the ring was full, or another thread was sampling */
  uint64_t sampling_ns;        /* time spent in the signal handler */
  uint64_t sample_interval_ns; /* the reader may change it; applies from the next sample on */
  uint64_t banks_at;
  uint64_t bank_bytes;    /* a multiple of 4096 */
  uint64_t banks;         /* capacity */
  uint64_t banks_used;    /* at most `banks` */
  uint64_t slots;         /* 64-bit counters per bank */
  uint64_t lost_threads;  /* threads without a bank, whose events are not counted */
  uint64_t lost_children; /* forked processes that could not create a file and are not counted */
};

/* An owner is a thread ID or one of these. */
#define TARE_OWNER_NONE UINT64_C(0)    /* never owned: the bank is empty */
#define TARE_OWNER_FOR_EVER UINT64_MAX /* a process that shares memory with this one */

/* The counters of one translation unit. `size` is the size of the whole record including the text,
 * a multiple of 8. The text follows, `text_bytes` long: lines as below, each ending in '\n'. */
struct tare_counters_unit {
  uint64_t size;
  uint64_t id;             /* a hash that identifies the translation unit */
  int64_t counters_offset; /* address of the unit's first counter minus that of this member */
  uint64_t slots;
  uint64_t text_bytes;
};

/* Lines of a unit's text; fields are separated by tabs, numbers are decimal.
 *
 * metric NAME KIND SLOT
 *   A software metric. KIND is count, sum, minimum, maximum or histogram (65 slots: bucket b counts
 *   the values with b significant bits; negative signed values are in bucket 64). A minimum is
 *   stored as its complement, so that 0 means that there is no value yet. A signed sum, minimum or
 *   maximum has the prefix "signed-"; signed minima and maxima are stored with the sign bit
 * inverted. metric NAME KIND SLOT site LINKAGE The same, counted at calls of a function that the
 * unit does not define and whose linker symbol is LINKAGE. Ignored if any unit of the process has a
 * line "entry NAME LINKAGE". entry NAME LINKAGE The metric is counted where the function is
 * entered. With a trailing field "hidden" the function, and with it this line, is visible in this
 * module only. function NAME SLOT Calls of a selected function. blocks FIRST COUNT Counters of
 * basic blocks, identified by their sites.
 *
 * Metrics with the same name in several units are summed (minima and maxima are combined). */

/* The instructions of an increment, recorded by the compiler in PC sections. The code generator
 * writes one 32-bit offset per instruction that it emits for the increment's store (several without
 * optimisation, and if it duplicates blocks): address of the instruction minus address of the
 * offset. No offset is 0, so TARE_SITE_END terminates the list. Then follows: */
struct tare_counters_site {
  uint32_t slot; /* slot in the unit, and TARE_SITE_... flags */
  uint64_t unit; /* id of the unit */
} __attribute__((packed));
#define TARE_SITE_END UINT32_C(0)
#define TARE_SITE_SLOT UINT32_C(0x0fffffff)
/* The function counts all its entries and exits; the difference is the number of calls that did not
 * return. */
#define TARE_SITE_BOTH_ENDS UINT32_C(0x80000000)
/* The next call after this site never returns. */
#define TARE_SITE_NO_RETURN UINT32_C(0x40000000)
/* The call before this site returns more often than it is made: setjmp. */
#define TARE_SITE_COMES_BACK UINT32_C(0x20000000)
/* The call before this site always returns: a call of the runtime. */
#define TARE_SITE_CAME_BACK UINT32_C(0x10000000)

/* A hash table with open addressing. Entries without a slot do not count yet. */
struct tare_counters_function {
  uint64_t address;      /* in the module's file; 0: free */
  uint64_t slot_and_one; /* slot of the call counter plus 1; 0: none */
};

/* Events that the signal sampler reads, in the terms of perf_event_open(2). */
#define TARE_SAMPLE_MAX_EVENTS 16
#define TARE_SAMPLE_NO_EVENT UINT64_MAX /* the value of an event that was not counted */
struct tare_sample_event {
  uint64_t type;
  uint64_t config;
  uint64_t config1;
  uint64_t config2;
  uint64_t with_kernel; /* 1: count in kernel mode, too */
};

struct tare_counters_request {
  uint64_t version;            /* TARE_COUNTERS_VERSION */
  uint64_t sample_interval_ns; /* 0: no signal sampler */
  uint64_t samples_room;       /* maximum number of records in the ring */
  uint64_t stream;             /* one of enum tare_stream_mode */
  uint64_t sample_events;      /* number of events, at most TARE_SAMPLE_MAX_EVENTS */
  struct tare_sample_event events[TARE_SAMPLE_MAX_EVENTS];
};

/* A timer on CLOCK_MONOTONIC sends this signal to the process. It also interrupts a blocked thread:
 * its system call is restarted where Linux does that (see signal(7)), otherwise it fails with
 * EINTR. */
#define TARE_SAMPLE_SIGNAL 61 /* glibc's SIGRTMAX - 3 */
#define TARE_SAMPLE_LEAST_NS UINT64_C(10000)

enum tare_stream_mode { TARE_STREAM_DISCARD = 0, TARE_STREAM_DELIVER = 1 };

/* A record of the signal sampler: these values, then one value per slot, summed over all banks
 * (minima and maxima combined), then one value per event of the request. The first record is taken
 * before main, the last at exit. */
enum tare_sample_value {
  TARE_SAMPLE_TIME_NS = 0, /* CLOCK_MONOTONIC */
  TARE_SAMPLE_CPU_NS,      /* CPU time of the process */
  TARE_SAMPLE_MINOR_FAULTS,
  TARE_SAMPLE_MAJOR_FAULTS,
  TARE_SAMPLE_VOLUNTARY_SWITCHES,
  TARE_SAMPLE_INVOLUNTARY_SWITCHES,
  TARE_SAMPLE_MAX_RESIDENT_KIB,
  TARE_SAMPLE_FIXED_VALUES
};

#if defined(__cplusplus)
#pragma GCC diagnostic pop
#endif
