/* trace_file.h: the file of this process: a header and chunks of records, in a shared mapping.
 *
 * None of these functions locks: callers do. */
#pragma once

#include <stdint.h>

#include "format/mpi_wire.h"

/* Creates the file of rank 0 of a new job, and returns the job's number; 0 if recording is not
 * wanted or not possible. */
uint32_t tare_file_claim(void);

/* Opens the file of a rank. `describe` fills its header. Returns 0 on failure. */
int tare_file_open(uint32_t job_number, uint32_t rank,
                   void (*describe)(struct tare_mpi_header* header, const void* argument),
                   const void* argument);

/* Null without a file. */
struct tare_mpi_header* tare_file_header(void);
/* Records can be written. */
int tare_file_is_on(void);

/* Returns where a record of up to `bytes` bytes may be written, or null, with the file switched
 * off, if there is no room. If a chunk is opened, its times are relative to `start_ns` and
 * `*is_new` is set. */
unsigned char* tare_file_reserve(uint64_t bytes, uint64_t start_ns, int* is_new);
/* The record ends at `end`; it counts as `records`. */
void tare_file_commit(const unsigned char* end, uint32_t records);

/* Counts an event that was not written, with the error number of the first. */
void tare_file_lose(int error);

/* Ends the file. Afterwards there is none. */
void tare_file_seal(enum tare_mpi_state state, uint64_t start_ns);
/* The process was forked: the file is the parent's. */
void tare_file_forget(void);
