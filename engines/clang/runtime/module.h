/* module.h: the runtime's state for the module that it is linked into.
 *
 * Each module (program or library) contains its own copy of the runtime, which knows of no other.
 * Nothing here allocates, locks, waits or keeps a descriptor open. A signal handler and several
 * threads may enter all of it at once. It calls no C library function that it can avoid: a program
 * may bring its own C library, built by tare-cc, which would call back into the runtime. */
#pragma once

#include <stdint.h>

#include "format/counters_wire.h"

#define TARE_HIDDEN __attribute__((visibility("hidden")))

/* Mappings are aligned for the largest page size of Linux. */
#define TARE_LARGEST_PAGE UINT64_C(65536)
#define TARE_PATH_ROOM 4096

/* Private to the process and placed before the shared part, so that no other process can change
 * it. */
struct tare_module {
  uint64_t unloaded; /* the library was unloaded; its next load may take this region over */
  struct tare_counters_header plan; /* offsets and sizes; the values that change are in `shared` */
  struct tare_counters_header* shared;
  uint64_t* owners;
  struct tare_counters_function* functions;
  uint8_t* banks;
  uint8_t* scratch;    /* a bank that is never read */
  uint64_t file_bytes; /* size of the shared part */
  uint64_t region_bytes;
  uint64_t counters_bytes; /* size of the module's own section */
  uint64_t text_bytes;     /* size of the module's code */
  uint64_t page_bytes;
  int observed;                   /* the shared part is a file */
  char directory[TARE_PATH_ROOM]; /* empty: not observed */
  char path[TARE_PATH_ROOM];      /* path of the module */
  char name[TARE_PATH_ROOM + 64];
  char text[2 * TARE_PATH_ROOM];
};

_Static_assert(sizeof(struct tare_module) <= TARE_LARGEST_PAGE, "the private part is one page");

/* Returns the module, creating it at the first call. Never 0. */
TARE_HIDDEN struct tare_module* tare_runtime_module(void);
/* Whether RLIMIT_FSIZE allows a file of that size. */
TARE_HIDDEN int tare_size_allowed(uint64_t bytes);
/* Reserves disk space for a part of a file. */
TARE_HIDDEN int tare_reserve(long file, uint64_t from, uint64_t bytes);
/* Returns the module if it has been created, otherwise 0. */
TARE_HIDDEN struct tare_module* tare_runtime_known_module(void);

/* Fills in plan, sizes and path from the module's own image; `module` must be all zero. */
TARE_HIDDEN void tare_runtime_describe(struct tare_module* module);
TARE_HIDDEN void tare_runtime_find_path(struct tare_module* module);
/* Calls `is_wanted` for each piece of a text file, terminated by `end`, until it returns nonzero.
 * Returns 0 when it never does. */
TARE_HIDDEN int tare_runtime_find_piece(struct tare_module* module, const char* name, char end,
                                        int (*is_wanted)(const char*, void*), void* context);
/* Computes the offsets of all parts of the file for the number of banks in the plan. */
TARE_HIDDEN void tare_runtime_lay_out(struct tare_module* module);

/* Creates a file for module->plan.process and maps it over the shared part. `bank` needs disk space
 * from the start; -1: no bank does. Returns 0 on failure; then nothing has changed and no file is
 * left. */
TARE_HIDDEN int tare_runtime_make_file(struct tare_module* module, int64_t bank);
/* Reads the requests of the tare run; returns 0 when there are none. */
TARE_HIDDEN int tare_runtime_read_request(const struct tare_module* module,
                                          struct tare_counters_request* request);
/* Whether the disk has room for these bytes of the mapping. Without this check, a store to a full
 * disk would raise SIGBUS later. */
TARE_HIDDEN int tare_runtime_populate(const struct tare_module* module, uint64_t from,
                                      uint64_t bytes);
/* Maps private memory over the shared part. */
TARE_HIDDEN void tare_runtime_map_private(struct tare_module* module);
/* Writes header, path and units, but not the magic number: readers ignore the file until then. */
TARE_HIDDEN void tare_runtime_fill(const struct tare_module* module);
/* Makes the file visible to readers by storing the magic number. */
TARE_HIDDEN void tare_runtime_publish(const struct tare_module* module);
/* Returns memory for a library of draft->region_bytes: new memory, or that of its earlier load,
 * unchanged. 0: any address must do. */
TARE_HIDDEN struct tare_module* tare_runtime_find_place(const struct tare_module* draft,
                                                        int* is_new);
/* To be called when the library is unloaded or the process ends. */
TARE_HIDDEN void tare_runtime_leave(struct tare_module* module);

TARE_HIDDEN void tare_runtime_plan_samples(struct tare_module* module);
TARE_HIDDEN void tare_runtime_start_samples(struct tare_module* module);
TARE_HIDDEN void tare_runtime_end_samples(struct tare_module* module);
TARE_HIDDEN void tare_runtime_forget_samples(void);
/* Opens the events that the request names. */
TARE_HIDDEN void tare_runtime_open_events(const struct tare_counters_request* request);
/* Writes one value per event of the request, TARE_SAMPLE_NO_EVENT for one that is not counted. */
TARE_HIDDEN void tare_runtime_read_events(uint64_t* values);

/* Defined together with gcc's hooks, which are linked only where they are called. */
extern const uint64_t tare_runtime_has_hooks __attribute__((weak, visibility("hidden")));

/* Distance from the module's section to the thread's bank; 0 until the thread claims one. */
TARE_HIDDEN extern __thread int64_t tare_counters_delta __attribute__((tls_model("initial-exec")));
TARE_HIDDEN __attribute__((preserve_most)) int64_t tare_counters_claim(void);

static inline uint64_t tare_round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

static inline void tare_copy(void* to, const void* from, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) ((uint8_t*)to)[i] = ((const uint8_t*)from)[i];
}

/* Appends to a zero-terminated text; returns 0 when it does not fit in `room` bytes. */
static inline int tare_append(char* to, uint64_t room, const char* text) {
  uint64_t length = 0;
  while (to[length] != 0) ++length;
  for (; *text != 0; ++text) {
    if (length + 1 >= room) return 0;
    to[length++] = *text;
    to[length] = 0;
  }
  return 1;
}

/* Appends a decimal number. */
static inline int tare_append_number(char* to, uint64_t room, uint64_t number) {
  char digits[24];
  unsigned at = sizeof digits - 1;
  digits[at] = 0;
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  return tare_append(to, room, digits + at);
}
