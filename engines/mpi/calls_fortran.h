/* calls_fortran.h: the MPI functions of Fortran, under the names that SYMBOL gives them.
 *
 * Open MPI's Fortran functions call PMPI functions, so that wrappers in C do not see them. The
 * functions of mpi_f08 have the same arguments as those of mpif.h, except that the last one, the
 * error code, may be absent. Handles are integers, which the library translates. Where Fortran
 * calls MPI functions of C, the wrapper in C finds that it is inside of this one. */
#pragma once

#include <string.h>

#include "describe.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
#endif

#define EXPORT __attribute__((visibility("default")))

/* Arguments are addresses in any number. */
typedef void (*fortran_function)();

/* The function that `name` stands before: "pmpi_send_" for "mpi_send_". */
static fortran_function find_real(const char* name) {
  char real[80] = "p";
  strncat(real, name, sizeof real - 2);
  return (fortran_function)tare_find_function(real);
}

/* Fortran's MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE and MPI_IN_PLACE are variables of the library,
 * known by their addresses. */
struct addresses {
  const void* status[4];
  const void* in_place[2];
};

static const struct addresses* known_addresses(void) {
  static struct addresses known;
  static int is_known;
  if (!is_known) {
    known.status[0] = tare_find_symbol("mpi_fortran_status_ignore_");
    known.status[1] = tare_find_symbol("mpi_fortran_statuses_ignore_");
    known.status[2] = tare_find_symbol("mpi_fortran_status_ignore");
    known.status[3] = tare_find_symbol("mpi_fortran_statuses_ignore");
    known.in_place[0] = tare_find_symbol("mpi_fortran_in_place_");
    known.in_place[1] = tare_find_symbol("mpi_fortran_in_place");
    is_known = 1;
  }
  return &known;
}

static int is_ignored(const void* status) {
  const struct addresses* known = known_addresses();
  for (int i = 0; i < 4; ++i) {
    if (status == known->status[i]) return 1;
  }
  return 0;
}

static int is_in_place(const void* buffer) {
  const struct addresses* known = known_addresses();
  return buffer != NULL && (buffer == known->in_place[0] || buffer == known->in_place[1]);
}

#define STATUS_INTS ((int)(sizeof(MPI_Status) / sizeof(MPI_Fint)))

static MPI_Status status_of(const MPI_Fint* status) {
  MPI_Status result;
  REAL(Status_f2c)((MPI_Fint*)status, &result);
  return result;
}

#define LIST(...) __VA_ARGS__
#define FUNCTION(Name, name, parameters) EXPORT void SYMBOL(name)(LIST parameters, MPI_Fint * error)

#define BUF(name) void* name
#define CBUF(name) void* name
#define INT(name) MPI_Fint* name
#define AINT(name) MPI_Aint* name
#define INTS(name) MPI_Fint* name
#define AINTS(name) MPI_Aint* name
#define OUT(name) MPI_Fint* name
#define FLAG(name) MPI_Fint* name
#define TYPE(name) MPI_Fint* name
#define TYPES(name) MPI_Fint* name
#define OP(name) MPI_Fint* name
#define INFO(name) MPI_Fint* name
#define GROUP(name) MPI_Fint* name
#define COMM(name) MPI_Fint* name
#define COMM_OUT(name) MPI_Fint* name
#define WINDOW(name) MPI_Fint* name
#define WINDOW_OUT(name) MPI_Fint* name
#define REQUEST(name) MPI_Fint* name
#define REQUEST_IN(name) MPI_Fint* name
#define REQUESTS(name) MPI_Fint* name
#define MESSAGE(name) MPI_Fint* name
#define STATUS(name) MPI_Fint* name
#define STATUSES(name) MPI_Fint* name

#define V(name) ((int)*name)
#define INDEX_V(value) ((value) - 1)
#define TYPE_V(name) (REAL(Type_f2c)(*name))
#define TYPES_V(name, i) (REAL(Type_f2c)(name[i]))
#define GROUP_V(name) (REAL(Group_f2c)(*name))
#define COMM_V(name) (REAL(Comm_f2c)(*name))
#define COMM_OUT_V(name) (REAL(Comm_f2c)(*name))
#define WINDOW_V(name) (REAL(Win_f2c)(*name))
#define WINDOW_OUT_V(name) (REAL(Win_f2c)(*name))
#define REQUEST_V(name) (REAL(Request_f2c)(*name))
#define REQUESTS_V(name, i) (REAL(Request_f2c)(name[i]))
#define MESSAGE_V(name) TARE_KEY(REAL(Message_f2c)(*name))
#define STATUS_V(name) status_of(name)
#define STATUSES_V(name, i) status_of(name + (i) * STATUS_INTS)
#define IS_IN_PLACE(name) is_in_place(name)

#define OWN_STATUS(name)            \
  MPI_Fint own_status[STATUS_INTS]; \
  if (on && is_ignored(name)) name = own_status;

#define OWN_STATUSES(name, count)                                                              \
  MPI_Fint* own_statuses = NULL;                                                               \
  MPI_Fint own_room[32 * STATUS_INTS];                                                         \
  if (on && is_ignored(name)) {                                                                \
    if ((count) > 32) own_statuses = malloc((size_t)(count) * STATUS_INTS * sizeof(MPI_Fint)); \
    name = (count) > 32 ? own_statuses : own_room;                                             \
  }
#define FREE_STATUSES(name) free(own_statuses);

#define WAITED_ONE(waited, request)            \
  do {                                         \
    tare_begin_waited(waited, 1);              \
    (waited)->handles[0] = REQUEST_V(request); \
  } while (0)
#define WAITED_ALL(waited, requests, number)                                                  \
  do {                                                                                        \
    tare_begin_waited(waited, number);                                                        \
    for (int i = 0; i < (waited)->count; ++i) (waited)->handles[i] = REQUESTS_V(requests, i); \
  } while (0)

#define BEGIN(Name)        \
  struct tare_event event; \
  const int on = tare_enter(&event, TARE_MPI_F_##Name);
#define FIND_REAL               \
  static fortran_function real; \
  if (real == NULL) real = find_real(__func__);
#define INVOKE(Name, ...)     \
  FIND_REAL                   \
  MPI_Fint result = 0;        \
  real(__VA_ARGS__, &result); \
  if (error != NULL) *error = result;
#define RETURN

#include "calls_end.h"

#include "calls.inc"

EXPORT void SYMBOL(init)(MPI_Fint* error) {
  struct tare_event event;
  const int on = tare_enter_init(&event, TARE_MPI_F_Init);
  FIND_REAL
  MPI_Fint result = 0;
  real(&result);
  if (error != NULL) *error = result;
  if (on && result == MPI_SUCCESS) tare_initialized(&event);
  LEAVE
}

EXPORT void SYMBOL(init_thread)(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  struct tare_event event;
  const int on = tare_enter_init(&event, TARE_MPI_F_Init_thread);
  INVOKE(Init_thread, required, provided)
  if (on && result == MPI_SUCCESS) tare_initialized(&event);
  LEAVE
}

EXPORT void SYMBOL(abort)(MPI_Fint* comm, MPI_Fint* code, MPI_Fint* error) {
  BEGIN(Abort)
  if (on) {
    tare_set_comm(&event, tare_find_comm(COMM_V(comm)));
    tare_returned(&event);
    tare_write_event(&event);
    tare_recorder_seal(TARE_MPI_ABORTED);
  }
  INVOKE(Abort, comm, code)
  LEAVE
}

EXPORT void SYMBOL(finalize)(MPI_Fint* error) {
  BEGIN(Finalize)
  SEAL(TARE_MPI_FINALIZED)
  FIND_REAL
  MPI_Fint result = 0;
  real(&result);
  if (error != NULL) *error = result;
  LEAVE
}
