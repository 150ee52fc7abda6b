/* openmp_events.h: collects the OpenMP events of each thread without locks, and writes them. */
#pragma once

#include <stdint.h>

#include "format/mpi_wire.h"

struct tare_openmp_record {
  uint64_t time_ns; /* CLOCK_MONOTONIC */
  uint64_t cpu_ns;  /* of the thread since its event before */
  uint64_t region;
  uint32_t kind;
  uint32_t first; /* index of the member; what a thread waits for; place, see tare_openmp_place */
  uint32_t threads;
};

/* Stores an event of the calling thread, if recording is on. It is in the file after 0.1 s, when
 * the thread has 512 events, or when the file is sealed. */
void tare_openmp_append(const struct tare_openmp_record* record);
/* The calling thread ends. */
void tare_openmp_thread_ended(void);

/* A number for the code at this address. */
uint32_t tare_openmp_place(const void* code);

/* Events before now are not for the file that was opened. The caller has locked the recorder. */
void tare_openmp_new_file(void);
/* Writes the events of all threads. The caller has locked the recorder. */
void tare_openmp_drain(void);
