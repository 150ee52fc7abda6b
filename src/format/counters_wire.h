/* counters_wire.h: counters of a program built by tare-cc, in memory that it shares with tare.
 *
 * Plain C, known to the runtime inside the program, to the compiler's plugin and to tare. Each
 * module (the program, each library of it built so) has a file of its own in the directory that
 * TARE_RUN names, "PROCESS.NUMBER" with the first number that is free:
 *
 *   header | path of the module | units | owners | functions | samples | banks
 *
 * The file is made with its full size and is sparse. A bank belongs to one thread at a time and is
 * added to without a lock; what a thread has counted stays when it has ended, and the next owner of
 * the bank goes on. Readers add up all banks. docs/formats/counters.md describes it for readers.
 *
 * A bank is `slots` 64-bit counters. The first are the units' (the bytes of section tare_counters,
 * in their order), then come those of functions that gcc's hooks have seen.
 */
#pragma once

#include <stdint.h>

#if defined(__cplusplus)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#define TARE_COUNTERS_MAGIC UINT64_C(0x3172746e63657274) /* "trecntr1" as bytes */
#define TARE_COUNTERS_VERSION 1u

/* The directory of the run, an absolute path; without it a program counts into memory of its own
 * that nobody reads. */
#define TARE_RUN_VARIABLE "TARE_RUN"
/* A file of that directory with a tare_counters_request; need not be there. */
#define TARE_RUN_REQUEST "request"

/* Sections of a module, all with __start_ and __stop_ symbols. */
#define TARE_COUNTERS_SECTION "tare_counters" /* room for one bank: its size, never written to */
#define TARE_UNITS_SECTION "tare_units"  /* tare_counters_unit, one for each translation unit */
#define TARE_SITES_SECTION "tare_sites"  /* a site of each increment: see tare_counters_site */
#define TARE_NAMES_SECTION ".tare_names" /* not loaded: what could have been chosen */

enum tare_counters_state {
  TARE_COUNTERS_RUNNING = 0, /* it runs, or ended without saying so (_exit, a signal, execve) */
  TARE_COUNTERS_ENDED = 1    /* exit, return from main, or dlclose of the library */
};

/* All places are counted from the start of the file. */
struct tare_counters_header {
  uint64_t magic; /* stored last: a file without it is not whole yet */
  uint32_t version;
  uint32_t architecture; /* ELF's number */
  uint32_t state;
  uint32_t is_library; /* 0: the program itself */
  uint64_t process;
  uint64_t parent_process; /* of a forked process, the one that forked it; 0: not forked */
  uint64_t image;          /* the same for all modules of a process between two execve calls */
  uint64_t load_bias;      /* address in memory less address in the file */
  uint64_t path_at;        /* the path ends with a zero */
  uint64_t path_bytes;     /* the zero included */
  uint64_t units_at;       /* a copy of the module's units */
  uint64_t units_bytes;
  uint64_t units_address;    /* where the original stands in memory */
  uint64_t counters_address; /* where the module's own room for a bank stands in memory */
  uint64_t owners_at;        /* for each bank a 64-bit owner */
  uint64_t functions_at;     /* tare_counters_function, for programs with calls of gcc's hooks */
  uint64_t functions_room;   /* how many; 0: no such calls */
  uint64_t functions_used;   /* slots given to functions; can pass function_slots */
  uint64_t functions_lost;   /* calls of functions that found no room */
  uint64_t function_slot;    /* the first slot of functions */
  uint64_t function_slots;
  uint64_t samples_at;         /* a ring of records of the signal sampler */
  uint64_t samples_room;       /* how many records; 0: not sampled */
  uint64_t sample_values;      /* 64-bit values in a record */
  uint64_t samples_written;    /* by the program; record n lies at n modulo room */
  uint64_t samples_taken;      /* by the reader */
  uint64_t samples_lost;       /* found the ring full, or another thread at it */
  uint64_t sampling_ns;        /* time inside the handler */
  uint64_t sample_interval_ns; /* the reader may change it: it holds from the next sample on */
  uint64_t banks_at;
  uint64_t bank_bytes;    /* a multiple of 4096 */
  uint64_t banks;         /* room for banks */
  uint64_t banks_used;    /* never more than `banks` */
  uint64_t slots;         /* 64-bit counters in a bank */
  uint64_t lost_threads;  /* threads that found no bank: not counted */
  uint64_t lost_children; /* forked processes that could not make a file: not counted */
};

/* An owner is a thread id, or one of these. */
#define TARE_OWNER_NONE UINT64_C(0)    /* never owned: the bank holds nothing */
#define TARE_OWNER_FOR_EVER UINT64_MAX /* of a process that shares memory with this one */

/* What one translation unit counts. `size` is that of the whole record, text included, a multiple
 * of 8. The text follows, `text_bytes` long: lines as below, each ended by '\n'. */
struct tare_counters_unit {
  uint64_t size;
  uint64_t id;             /* a hash that tells translation units apart */
  int64_t counters_offset; /* address of the unit's first counter less address of this member */
  uint64_t slots;
  uint64_t text_bytes;
};

/* Lines of a unit's text; fields are separated by tabs, numbers are decimal.
 *   metric NAME KIND SLOT   one slot of a software metric; KIND is one of
 *                           count, sum, minimum, maximum, histogram (then 65 slots: bucket b holds
 *                           values with b significant bits; signed values below 0 are in bucket 64)
 *                           A minimum is kept as its complement, so that 0 means none yet.
 *                           A signed sum, minimum or maximum has "signed-" before its kind; signed
 *                           minimum and maximum are kept with the sign bit inverted.
 *   metric NAME KIND SLOT site LINKAGE
 *                           the same, at calls of a function that the unit does not define and the
 *                           linker knows as LINKAGE. It must be left out when there is a line
 *                           "entry NAME LINKAGE" in any unit of the process
 *   entry NAME LINKAGE      the metric is counted where the function is entered. With "hidden"
 * behind it the function is known in this module only, and so is the line function NAME SLOT calls
 * of a function that was selected blocks FIRST COUNT      counters of block counting, found again
 * by their sites Metrics of one name in several units add up (minima and maxima combine). */

/* Where in the code an increment stands: made by the compiler from PC sections. The code generator
 * writes a 32-bit offset for every instruction that it makes of the increment's store (more than
 * one without optimisation, and where it copies blocks): address of the instruction less address of
 * the offset. None is 0, so TARE_SITE_END ends them. Then comes: */
struct tare_counters_site {
  uint32_t slot; /* in the unit, and TARE_SITE_... flags */
  uint64_t unit; /* its id */
} __attribute__((packed));
#define TARE_SITE_END UINT32_C(0)
#define TARE_SITE_SLOT UINT32_C(0x0fffffff)
/* Its function counts every way in and out: calls of it that never ended are the difference. */
#define TARE_SITE_BOTH_ENDS UINT32_C(0x80000000)
/* The next call behind it never comes back. */
#define TARE_SITE_NO_RETURN UINT32_C(0x40000000)
/* The call in front of it comes back more often than it is made: setjmp. */
#define TARE_SITE_COMES_BACK UINT32_C(0x20000000)
/* The call in front of it always comes back: that of the runtime. */
#define TARE_SITE_CAME_BACK UINT32_C(0x10000000)

/* A table with open addressing; entries without a slot count nothing yet. */
struct tare_counters_function {
  uint64_t address;      /* in the module's file; 0: free */
  uint64_t slot_and_one; /* the slot of a bank in which its calls are counted, plus 1; 0: none */
};

struct tare_counters_request {
  uint64_t version;            /* TARE_COUNTERS_VERSION */
  uint64_t sample_interval_ns; /* 0: no signal sampler */
  uint64_t samples_room;       /* at most this many records in the ring */
  uint64_t stream;             /* one of enum tare_stream_mode */
};

/* A timer by the time of day sends it to the process. A thread that waits is woken too: its system
 * call is begun again where Linux does that, otherwise it fails with EINTR. */
#define TARE_SAMPLE_SIGNAL 61 /* SIGRTMAX - 3 of glibc */
#define TARE_SAMPLE_LEAST_NS UINT64_C(10000)

enum tare_stream_mode { TARE_STREAM_DISCARD = 0, TARE_STREAM_DELIVER = 1 };

/* A record of the signal sampler: these, then one value for each slot, added up over all banks
 * (minima and maxima combined). The first is taken before main, the last at exit. */
enum tare_sample_value {
  TARE_SAMPLE_TIME_NS = 0, /* CLOCK_MONOTONIC */
  TARE_SAMPLE_CPU_NS,      /* of the process */
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
