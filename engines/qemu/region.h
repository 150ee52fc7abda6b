/* region.h: the dynamic extent of one function, told from calls and returns alone: this version of
 * QEMU shows a plugin no registers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engines/instruction_ends.h"
#include "recording.h"

struct region {
  uint64_t device;
  uint64_t inode; /* 0: no region, everything counts */
  uint64_t offset;
  uint64_t address; /* in the guest, once its file is mapped; 0 before */
};

/* A piece of translated code. */
struct block {
  uint64_t address;
  uint64_t following; /* address behind its last instruction */
  uint64_t index;
  enum tare_end end;
  bool enters_region;
  bool repeated_writes;
  bool repeated_reads_twice;
};

enum { kDepth = 1 << 16 };

/* A thread of the guest. Its shadow stack holds where its open calls will come back to. */
struct thread {
  struct tare_wire_counters* bank;
  const struct block* last;
  bool last_counted;
  bool inside;
  uint64_t repeating; /* address of the repeated instruction that ran last, or 0 */
  unsigned halves;
  uint64_t* returns;
  uint32_t depth;
  uint32_t inside_depth; /* depth of the call that entered the region; above kDepth: never left */
};

/* DEVICE:INODE:OFFSET, decimal. */
bool region_parse(struct region* region, const char* text);

/* Sets the region's address when `file` is the one it lies in. */
void region_locate(struct region* region, const struct mapped_file* file);

/* A thread made by one that is inside is inside to its end. */
void region_start_thread(struct thread* thread, const struct thread* creator);

/* Before `now` is counted; true when the thread enters. Needs `last` still to be the block before.
 */
bool region_step(struct thread* thread, const struct block* now);
