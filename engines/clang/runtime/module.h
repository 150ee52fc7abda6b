/* module.h: what the runtime knows of the module that it is linked into.
 *
 * One copy of the runtime lives in each module (program or library) and knows of no other. Nothing
 * here allocates, locks, waits or keeps a descriptor; all of it may be entered by a signal handler
 * and by several threads at once. Where a C library's function would do, it is not used: a program
 * may bring its own, built by tare-cc, and that would come back here. */
#pragma once

#include <stdint.h>

#include "format/counters_wire.h"

#define TARE_HIDDEN __attribute__((visibility("hidden")))

/* Mappings are laid out for the largest page of Linux. */
#define TARE_LARGEST_PAGE UINT64_C(65536)
#define TARE_PATH_ROOM 4096

/* Private to the process, in front of what is shared: nobody else can change it. */
struct tare_module {
  uint64_t unloaded;                /* a mark: the library is gone, its next load may have this */
  struct tare_counters_header plan; /* places and sizes; the values that change are in `shared` */
  struct tare_counters_header* shared;
  uint64_t* owners;
  struct tare_counters_function* functions;
  uint8_t* banks;
  uint8_t* scratch;    /* a bank that nobody reads */
  uint64_t file_bytes; /* of the shared part */
  uint64_t region_bytes;
  uint64_t counters_bytes; /* of the module's own section */
  uint64_t text_bytes;     /* code of the module */
  uint64_t page_bytes;
  int observed;                   /* the shared part is a file */
  char directory[TARE_PATH_ROOM]; /* empty: not observed */
  char path[TARE_PATH_ROOM];      /* of the module */
  char name[TARE_PATH_ROOM + 64];
  char text[2 * TARE_PATH_ROOM];
};

_Static_assert(sizeof(struct tare_module) <= TARE_LARGEST_PAGE, "the private part is one page");

/* The module as it stands now, made at the first call. Never 0. */
TARE_HIDDEN struct tare_module* tare_runtime_module(void);
/* The same when it has been made, otherwise 0. */
TARE_HIDDEN struct tare_module* tare_runtime_known_module(void);

/* Fills in plan, sizes and path from the module's own image; `module` is all zero. */
TARE_HIDDEN void tare_runtime_describe(struct tare_module* module);
TARE_HIDDEN void tare_runtime_find_path(struct tare_module* module);
/* Shows the pieces of a text file, each ended by `end`, until one is wanted; 0: none was. */
TARE_HIDDEN int tare_runtime_find_piece(struct tare_module* module, const char* name, char end,
                                        int (*is_wanted)(const char*, void*), void* context);
/* Places of all parts of the file for the number of banks in the plan. */
TARE_HIDDEN void tare_runtime_lay_out(struct tare_module* module);

/* Makes a file for module->plan.process over the shared part. `bank` needs room from the start, -1:
 * none. 0 when that cannot be; then nothing has changed and no file is left. */
TARE_HIDDEN int tare_runtime_make_file(struct tare_module* module, int64_t bank);
/* What tare asks of this run; 0: nothing. */
TARE_HIDDEN int tare_runtime_read_request(const struct tare_module* module,
                                          struct tare_counters_request* request);
/* Whether there is room for these bytes of the mapping: a disk that is full must be found out now,
 * later it would be a SIGBUS. */
TARE_HIDDEN int tare_runtime_populate(const struct tare_module* module, uint64_t from,
                                      uint64_t bytes);
/* Private memory over the shared part. */
TARE_HIDDEN void tare_runtime_map_private(struct tare_module* module);
/* Writes header, path and units, but not the magic: nobody reads them yet. */
TARE_HIDDEN void tare_runtime_fill(const struct tare_module* module);
/* From now on readers may have it. */
TARE_HIDDEN void tare_runtime_publish(const struct tare_module* module);
/* Memory for a library of draft->region_bytes: new, or that of its earlier load, as it stands. 0:
 * it must stand anywhere. */
TARE_HIDDEN struct tare_module* tare_runtime_find_place(const struct tare_module* draft,
                                                        int* is_new);
/* The library goes away, or the process ends. */
TARE_HIDDEN void tare_runtime_leave(struct tare_module* module);

TARE_HIDDEN void tare_runtime_plan_samples(struct tare_module* module);
TARE_HIDDEN void tare_runtime_start_samples(struct tare_module* module);
TARE_HIDDEN void tare_runtime_end_samples(struct tare_module* module);
TARE_HIDDEN void tare_runtime_forget_samples(void);

/* Defined with gcc's hooks, which are linked only where they are called. */
extern const uint64_t tare_runtime_has_hooks __attribute__((weak, visibility("hidden")));

/* The distance from the module's section to the thread's bank; never 0. */
TARE_HIDDEN extern __thread int64_t tare_counters_delta __attribute__((tls_model("initial-exec")));
TARE_HIDDEN __attribute__((preserve_most)) int64_t tare_counters_claim(void);

static inline uint64_t tare_round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

static inline void tare_copy(void* to, const void* from, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) ((uint8_t*)to)[i] = ((const uint8_t*)from)[i];
}

/* Appends to a text that ends with a zero; 0 when it does not fit in `room`. */
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

/* The same with a number in decimal. */
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
