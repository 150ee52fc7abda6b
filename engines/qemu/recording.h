/* recording.h: the file in which the plugin counts, one per process, a bank per thread. */
#pragma once

#include <stdbool.h>

#include "format/wire_writer.h"

/* Makes and maps PROCESS.GENERATION in `directory`; false with a sentence on standard error. */
bool recording_open(const char* directory, uint32_t architecture);

/* In a process that is about to fork, with nothing being appended. */
void recording_before_fork(void);

/* In a forked child: a recording of its own at the same addresses. */
void recording_fork(void);

struct tare_wire_header* recording_header(void);

/* The bank of a thread, or NULL when there is none left. */
struct tare_wire_counters* recording_bank(unsigned thread);

/* The number of the new block, or TARE_WIRE_NO_BLOCK. */
uint64_t recording_add_block(const struct tare_wire_block* block, const uint8_t* code);

/* A mapping of the guest, told to the recording when it is first seen. */
struct mapped_file {
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  uint64_t device;
  uint64_t inode;
};

/* The mapping around a guest address; `guest_base` turns it into an address of this process. */
struct mapped_file recording_object_at(uint64_t address, uint64_t guest_base);

/* Mappings may have changed: look again at the next question. */
void recording_mappings_changed(void);
