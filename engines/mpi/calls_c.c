/* calls_c.c: the MPI functions of C. */
#include "describe.h"

#define EXPORT __attribute__((visibility("default")))

#define FUNCTION(Name, name, parameters) EXPORT int MPI_##Name parameters

#define BUF(name) void* name
#define CBUF(name) const void* name
#define INT(name) int name
#define AINT(name) MPI_Aint name
#define INTS(name) const int name[]
#define AINTS(name) const MPI_Aint name[]
#define OUT(name) int* name
#define FLAG(name) int* name
#define TYPE(name) MPI_Datatype name
#define TYPES(name) const MPI_Datatype name[]
#define OP(name) MPI_Op name
#define INFO(name) MPI_Info name
#define GROUP(name) MPI_Group name
#define COMM(name) MPI_Comm name
#define COMM_OUT(name) MPI_Comm* name
#define WINDOW(name) MPI_Win name
#define WINDOW_OUT(name) MPI_Win* name
#define REQUEST(name) MPI_Request* name
#define REQUEST_IN(name) MPI_Request name
#define REQUESTS(name) MPI_Request name[]
#define MESSAGE(name) MPI_Message* name
#define STATUS(name) MPI_Status* name
#define STATUSES(name) MPI_Status name[]

#define V(name) (name)
#define INDEX_V(value) (value)
#define TYPE_V(name) (name)
#define TYPES_V(name, i) (name[i])
#define GROUP_V(name) (name)
#define COMM_V(name) (name)
#define COMM_OUT_V(name) (*name)
#define WINDOW_V(name) (name)
#define WINDOW_OUT_V(name) (*name)
#define REQUEST_V(name) (*name)
#define REQUESTS_V(name, i) (name[i])
#define MESSAGE_V(name) TARE_KEY(*name)
#define STATUS_V(name) (*name)
#define STATUSES_V(name, i) (name[i])
#define IS_IN_PLACE(name) ((const void*)(name) == (const void*)MPI_IN_PLACE)

#define OWN_STATUS(name) \
  MPI_Status own_status; \
  if (on && name == MPI_STATUS_IGNORE) name = &own_status;

/* The array is allocated: Waitall of thousands of requests is common. */
#define OWN_STATUSES(name, count)                                                    \
  MPI_Status* own_statuses = NULL;                                                   \
  MPI_Status own_room[32];                                                           \
  if (on && name == MPI_STATUSES_IGNORE) {                                           \
    if ((count) > 32) own_statuses = malloc((size_t)(count) * sizeof *own_statuses); \
    name = (count) > 32 ? own_statuses : own_room;                                   \
  }
#define FREE_STATUSES(name) free(own_statuses);

#define WAITED_ONE(waited, request)  \
  do {                               \
    tare_begin_waited(waited, 1);    \
    (waited)->handles[0] = *request; \
  } while (0)
#define WAITED_ALL(waited, requests, number)                                        \
  do {                                                                              \
    tare_begin_waited(waited, number);                                              \
    for (int i = 0; i < (waited)->count; ++i) (waited)->handles[i] = (requests)[i]; \
  } while (0)

#define BEGIN(Name)        \
  struct tare_event event; \
  const int on = tare_enter(&event, TARE_MPI_F_##Name);
#define INVOKE(Name, ...) const int result = REAL(Name)(__VA_ARGS__);
#define RETURN return result;

#include "calls_end.h"

#include "calls.inc"

EXPORT int MPI_Init(int* count, char*** arguments) {
  struct tare_event event;
  const int on = tare_enter_init(&event, TARE_MPI_F_Init);
  INVOKE(Init, count, arguments)
  if (on && result == MPI_SUCCESS) tare_initialized(&event);
  LEAVE
  RETURN
}

EXPORT int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  struct tare_event event;
  const int on = tare_enter_init(&event, TARE_MPI_F_Init_thread);
  INVOKE(Init_thread, count, arguments, required, provided)
  if (on && result == MPI_SUCCESS) tare_initialized(&event);
  LEAVE
  RETURN
}

EXPORT int MPI_Abort(MPI_Comm comm, int code) {
  BEGIN(Abort)
  if (on) tare_set_comm(&event, tare_find_comm(comm));
  SEAL(TARE_MPI_ABORTED)
  return REAL(Abort)(comm, code);
}

EXPORT int MPI_Finalize(void) {
  BEGIN(Finalize)
  SEAL(TARE_MPI_FINALIZED)
  const int result = REAL(Finalize)();
  LEAVE
  RETURN
}
