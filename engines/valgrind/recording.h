/* recording.h: the file in which the tool counts, one per process. */
#pragma once

#include "blocks.h"
#include "core.h"
#include "flow_access.h"
#include "format/wire_writer.h"

/* Makes PROCESS.GENERATION in `directory` and maps it. Ends the process with a message when it
 * cannot: nothing has run yet. */
void recording_open(const HChar* directory);

/* Whether this is the first program that was started with the directory; asked once. */
Bool recording_is_first(void);

/* In a process that is about to fork, with nothing being appended. */
void recording_before_fork(void);

/* In a forked child: a recording of its own at the same addresses. */
void recording_fork(void);

void recording_set_state(UInt state);

struct tare_wire_header* recording_header(void);

/* Where all counters begin; the same in every process that forks off. */
struct tare_wire_counters* recording_counters(void);

/* The number of a new block; TARE_WIRE_NO_BLOCK when there is no room. */
ULong recording_add_block(const struct block_span* span);

/* What records of the flow tell, of a block that was added. Their number; 0 when there is no room.
 */
ULong recording_add_flow(ULong block, UInt operation, const struct flow_record* record);

/* A new file of so many bytes beside the recording; below 0 when it cannot be made. */
Int recording_make_beside(const HChar* name, ULong bytes);

/* Makes the mapping that holds `address` known, once. Returns what must be added to a file offset
 * in it to get an address. `device` and `inode` name its file; 0 when it has none. */
struct mapped_file {
  Addr start;
  Addr end;
  ULong offset;
  ULong device;
  ULong inode;
};
struct mapped_file recording_object_at(Addr address);
