/* library.c: finds the functions and predefined handles of the MPI library. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef OPEN_MPI
static const char* const files[] = {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};
#else
static const char* const files[] = {"libmpich.so.12", "libmpichfort.so.12", "libmpi.so.12"};
#endif

struct tare_predefined tare_mpi;

void* tare_find_symbol(const char* name) {
  /* Not RTLD_NEXT: a program that is not position-independent has its own copy of data. */
  void* symbol = dlsym(RTLD_DEFAULT, name);
  /* A library that was opened by dlopen, as by Python, is not found by default. */
  for (unsigned i = 0; symbol == NULL && i < sizeof files / sizeof *files; ++i) {
    void* library = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) continue;
    symbol = dlsym(library, name);
    dlclose(library);
  }
  return symbol;
}

void* tare_find_function(const char* name) {
  void* function = tare_find_symbol(name);
  if (function == NULL) {
    fprintf(stderr, "tare mpi: the MPI library of this program has no %s; use --mpi\n", name);
    abort();
  }
  return function;
}

void tare_library_start(void) {
#ifdef OPEN_MPI
  tare_mpi.world = tare_find_symbol("ompi_mpi_comm_world");
  tare_mpi.self = tare_find_symbol("ompi_mpi_comm_self");
  tare_mpi.comm_null = tare_find_symbol("ompi_mpi_comm_null");
  tare_mpi.request_null = tare_find_symbol("ompi_request_null");
  tare_mpi.byte = tare_find_symbol("ompi_mpi_byte");
  tare_mpi.datatype_null = tare_find_symbol("ompi_mpi_datatype_null");
  tare_mpi.win_null = tare_find_symbol("ompi_mpi_win_null");
  tare_mpi.no_proc = tare_find_symbol("ompi_message_no_proc");
#else
  tare_mpi.world = MPI_COMM_WORLD;
  tare_mpi.self = MPI_COMM_SELF;
  tare_mpi.comm_null = MPI_COMM_NULL;
  tare_mpi.request_null = MPI_REQUEST_NULL;
  tare_mpi.byte = MPI_BYTE;
  tare_mpi.datatype_null = MPI_DATATYPE_NULL;
  tare_mpi.win_null = MPI_WIN_NULL;
  tare_mpi.no_proc = MPI_MESSAGE_NO_PROC;
#endif
}

uint64_t tare_status_bytes(const MPI_Status* status) {
#ifdef OPEN_MPI
  return status->_ucount;
#else
  return (uint64_t)(uint32_t)status->count_lo |
         (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
#endif
}
