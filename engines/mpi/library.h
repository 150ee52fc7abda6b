/* library.h: the MPI library behind this one, found when it is first needed.
 *
 * This library does not link MPI: it is preloaded into shells and launchers, too, where it must do
 * nothing. mpi.h is that of the library for which it is built. */
#pragma once

#include <mpi.h>
#include <stdint.h>

/* Returns the address of a symbol of the MPI library, or null. */
void* tare_find_symbol(const char* name);
/* The same for a function; without it the program cannot have called us. */
void* tare_find_function(const char* name);

#define REAL(name)                                                                 \
  ({                                                                               \
    static __typeof__(&PMPI_##name) real_function;                                 \
    if (real_function == NULL)                                                     \
      real_function = (__typeof__(&PMPI_##name))tare_find_function("PMPI_" #name); \
    real_function;                                                                 \
  })

/* Predefined handles. Those of Open MPI are addresses inside the library. */
struct tare_predefined {
  MPI_Comm world;
  MPI_Comm self;
  MPI_Comm comm_null;
  MPI_Request request_null;
  MPI_Datatype byte;
  MPI_Datatype datatype_null;
  MPI_Win win_null;
  MPI_Message no_proc;
};
extern struct tare_predefined tare_mpi;
void tare_library_start(void);

uint64_t tare_status_bytes(const MPI_Status* status);

#ifdef OPEN_MPI
#define TARE_KEY(handle) ((uint64_t)(uintptr_t)(handle))
#else
#define TARE_KEY(handle) ((uint64_t)(uint32_t)(handle))
#endif
