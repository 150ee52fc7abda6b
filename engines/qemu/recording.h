/* recording.h: the recording, a file per process with blocks and one bank of counters per
 * thread. */
#pragma once

#include <stdbool.h>

#include "format/wire_writer.h"

/* Creates and maps PROCESS.GENERATION in `directory`; on failure prints a message to standard error
 * and returns false. */
bool recording_open(const char* directory, uint32_t architecture);

/* To be called in a process that is about to fork, while nothing is being appended. */
void recording_before_fork(void);

/* To be called in a forked child: creates the child's own recording, mapped at the same
 * addresses. */
void recording_fork(void);

struct tare_wire_header* recording_header(void);

/* Creates a file of that size in the recording's directory. Returns its descriptor, or -1. */
int recording_make_beside(const char* name, uint64_t bytes);

/* Returns the bank of a thread, or NULL when none is left. */
struct tare_wire_counters* recording_bank(unsigned thread);

/* Appends a block and returns its number, or TARE_WIRE_NO_BLOCK. */
uint64_t recording_add_block(const struct tare_wire_block* block, const uint8_t* code);

/* Describes the flow's records of a block, or those of its repeated operation. Returns their
 * number, or 0 if there is no room. */
uint64_t recording_add_flow(uint64_t block, bool operation);

/* A mapping of the guest, recorded when it is first seen. */
struct mapped_file {
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  uint64_t device;
  uint64_t inode;
};

/* Returns the mapping that contains a guest address; `guest_base` is added to it to get an address
 * of this process. */
struct mapped_file recording_object_at(uint64_t address, uint64_t guest_base);

/* Mappings may have changed: read them again at the next lookup. */
void recording_mappings_changed(void);
