/* library.c: finds the functions and predefined handles of the MPI library. */
#include "library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPEN_MPI_FILES "libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"
#define MPICH_FILES "libmpich.so.12", "libmpichfort.so.12", "libmpi.so.12"

#ifdef OPEN_MPI
static const char* const files[] = {OPEN_MPI_FILES};
static const char* const other_files[] = {MPICH_FILES};
#define OWN_NAME "tare-openmpi.so"
#define OTHER_NAME "tare-mpich.so"
#else
static const char* const files[] = {MPICH_FILES};
static const char* const other_files[] = {OPEN_MPI_FILES};
#define OWN_NAME "tare-mpich.so"
#define OTHER_NAME "tare-openmpi.so"
#endif

struct tare_predefined tare_mpi;

static int is_any_loaded(const char* const* names) {
  for (unsigned i = 0; i < sizeof files / sizeof *files; ++i) {
    void* library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) {
      dlclose(library);
      return 1;
    }
  }
  return 0;
}

/* Names OTHER_NAME instead of OWN_NAME in LD_PRELOAD, or nothing if it is not installed. */
static int change_preload(void) {
  const char* before = getenv("LD_PRELOAD");
  const char* own = before == NULL ? NULL : strstr(before, OWN_NAME);
  if (own == NULL) return 0;
  const char* path = own;
  while (path > before && strchr(": ", path[-1]) == NULL) --path;
  const char* rest = own + strlen(OWN_NAME);
  char other[PATH_MAX];
  const int length = snprintf(other, sizeof other, "%.*s" OTHER_NAME, (int)(own - path), path);
  if (length < 0 || length >= (int)sizeof other) return 0;
  if (access(other, R_OK) != 0) other[0] = '\0';
  char after[3 * PATH_MAX];
  const int size =
      snprintf(after, sizeof after, "%.*s%s%s", (int)(path - before), before, other, rest);
  if (size < 0 || size >= (int)sizeof after) return 0;
  return setenv("LD_PRELOAD", after, 1) == 0;
}

/* The MPI of this process is the other one: --mpi was wrong, or one MPI's mpirun starts a script
 * that runs a program of the other. Handles of the two have different sizes, so that this library
 * would harm the program. Its counterpart takes its place before the program begins. */
__attribute__((constructor)) static void give_way(int count, char** arguments) {
  char program[PATH_MAX];
  if (count < 1 || is_any_loaded(files) || !is_any_loaded(other_files)) return;
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0 || !change_preload()) return;
  program[length] = '\0';
  execv(program, arguments);
}

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
