/* recording.h: the recording, a file per process that contains blocks and their counters. */
#pragma once

#include "blocks.h"
#include "core.h"
#include "flow_access.h"
#include "format/wire_writer.h"

/* Creates PROCESS.GENERATION in `directory` and maps it. Exits with a message on failure: the
 * program has not run yet. */
void recording_open(const HChar* directory);

/* Whether this is the first program that was started with the directory. Valid for one call
 * only. */
Bool recording_is_first(void);

/* To be called in a process that is about to fork, while nothing is being appended. */
void recording_before_fork(void);

/* To be called in a forked child: creates the child's own recording, mapped at the same
 * addresses. */
void recording_fork(void);

void recording_set_state(UInt state);

struct tare_wire_header* recording_header(void);

/* Returns the address of the counters; forked children have them at the same address. */
struct tare_wire_counters* recording_counters(void);

/* Appends a block and returns its number; TARE_WIRE_NO_BLOCK when there is no room. */
ULong recording_add_block(const struct block_span* span);

/* Appends the description of a block's flow records. Returns the description's number; 0 when there
 * is no room. */
ULong recording_add_flow(ULong block, UInt operation, const struct flow_record* record);

/* Creates a file of `bytes` bytes next to the recording. Returns its descriptor; negative on
 * failure. */
Int recording_make_beside(const HChar* name, ULong bytes);

/* Records the mapping that contains `address`, once, and returns it. `device` and `inode` identify
 * its file; 0 when it has none. */
struct mapped_file {
  Addr start;
  Addr end;
  ULong offset;
  ULong device;
  ULong inode;
};
struct mapped_file recording_object_at(Addr address);
