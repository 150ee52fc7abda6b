/* region.h: the dynamic extent of one function, derived from calls and returns alone because
 * version 1 of QEMU's plugin interface gives no access to registers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "block_flow.h"
#include "engines/instruction_ends.h"
#include "recording.h"

struct region {
  uint64_t device;
  uint64_t inode; /* 0: no region, everything counts */
  uint64_t offset;
  uint64_t address; /* guest address once its file is mapped; 0 before */
};

/* A block of translated code. */
struct block {
  uint64_t address;
  uint64_t following; /* address after its last instruction */
  uint64_t index;
  uint64_t flow;           /* number of its records; 0: none */
  uint64_t flow_operation; /* the same for the operation of a repeated instruction */
  enum tare_end end;
  bool enters_region;
  bool repeated_writes;
  bool repeated_reads_twice;
};

enum { kDepth = 1 << 16 };

/* A thread of the guest. Its shadow stack contains the return addresses of its open calls. */
struct thread {
  struct tare_wire_counters* bank;
  const struct block* last;
  bool last_counted;
  bool inside;
  uint64_t repeating; /* address of the repeated instruction that ran last; 0: none */
  unsigned halves;
  uint64_t* returns;
  uint32_t depth;
  struct flow_buffer flow;
  uint32_t inside_depth; /* depth of the call that entered the region; above kDepth: never leaves */
};

/* Parses "DEVICE:INODE:OFFSET", decimal. */
bool region_parse(struct region* region, const char* text);

/* Sets the region's address when `file` is the region's file. */
void region_locate(struct region* region, const struct mapped_file* file);

/* A thread that is created inside the region stays inside until it ends. */
void region_start_thread(struct thread* thread, const struct thread* creator);

/* To be called before `now` is counted, with `last` still the previous block. Returns true when the
 * thread enters the region. */
bool region_step(struct thread* thread, const struct block* now);
