/* recorder.h: writes the events of this process to its file, and keeps time between calls. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/mpi_wire.h"

struct tare_completion {
  uint32_t request;
  uint32_t kind; /* 0: not a receive, 1: receive, 2: cancelled */
  int32_t source;
  int32_t tag;
  uint64_t bytes;
};

/* A call. `fields` has the TARE_MPI_... bits of the members that are set. */
struct tare_event {
  uint32_t function;
  uint32_t fields;
  uint64_t start_ns; /* CLOCK_MONOTONIC */
  uint64_t end_ns;
  uint64_t cpu_ns;
  uint32_t comm;
  uint32_t request;
  uint32_t new_comm;
  uint32_t error;
  int32_t peer;
  int32_t tag;
  int32_t source;
  int32_t recv_tag;
  int32_t root;
  uint64_t sent;
  uint64_t received;
  uint64_t count;
  const struct tare_completion* completions;
  uint32_t completion_count;
  uint32_t list_count;
  const uint64_t* list;
};

/* Members of a communicator, in its order. */
struct tare_members {
  const int32_t* ranks;
  uint32_t count;
};

struct tare_process {
  uint32_t rank;
  uint32_t size;
  uint32_t thread_level;
  uint64_t job;
  uint32_t job_number;
  uint64_t init_start_ns;
  int is_without_mpi;
  const char* library;
};

uint64_t tare_now(void);
/* CPU time of the calling thread, in ns; a system call. */
uint64_t tare_thread_cpu(void);
/* Intervals shorter than this are taken to be CPU time as a whole, because of its cost. */
#define TARE_SHORT_NS UINT64_C(10000)
/* It is read at least once in this time. */
#define TARE_EXACT_NS UINT64_C(1000000)
/* When this library was loaded. */
uint64_t tare_loaded_ns(void);

/* The number of the calling thread plus 1. */
uint32_t tare_thread_number(void);

/* For those who write records themselves: under the lock, reserve, then tare_file_commit. */
void tare_recorder_lock(void);
int tare_recorder_try_lock(void);
void tare_recorder_unlock(void);
unsigned char* tare_recorder_reserve(uint64_t bytes);
/* The time that the file counts from. */
uint64_t tare_recorder_start_ns(void);

/* Starts recording. Calls before it, and after a failure, record nothing. */
void tare_recorder_start(const struct tare_process* process);

/* Fills the part of the header that does not change. */
void tare_describe_process(struct tare_mpi_header* header, const struct tare_process* process);

/* Marks the file as complete, or as ended in another way, and stops recording. */
void tare_recorder_seal(enum tare_mpi_state state);

/* A call begins: returns 0 if it must not be recorded (recording is off, or the call was made by
 * the MPI library or a wrapper). Sets function, start and CPU time of `event`. Each call needs its
 * tare_leave, with the returned value. */
int tare_enter(struct tare_event* event, enum tare_mpi_function function);
/* The same at MPI_Init, when recording is not on yet. */
int tare_enter_init(struct tare_event* event, enum tare_mpi_function function);
/* Announces what the call waits for, in case it never returns. */
void tare_announce(uint32_t comm, int32_t peer, int32_t tag);
/* The MPI function has returned: sets the end. */
void tare_returned(struct tare_event* event);
void tare_write_event(const struct tare_event* event);
/* Merges polls without success into one event. */
void tare_write_poll(const struct tare_event* event);
void tare_leave(int recorded);

/* `remote`, `sources` and `destinations` may be null. */
void tare_define_comm(uint32_t number, uint32_t kind, uint32_t parent_and_one,
                      struct tare_members members, const struct tare_members* remote,
                      const struct tare_members* sources, const struct tare_members* destinations);
