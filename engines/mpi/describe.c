/* describe.c: fills events from the arguments of calls. */
#include "describe.h"

#include <string.h>
#include <sys/random.h>

#include "trace_file.h"

int tare_set_root(struct tare_event* event, const struct tare_comm* comm, int root) {
  if (comm == NULL) return 0;
  event->fields |= TARE_MPI_ROOT;
  if (root == MPI_ROOT) { /* of an intercommunicator: this process */
    int rank = 0;
    REAL(Comm_rank)(tare_mpi.world, &rank);
    event->root = rank;
    return 1;
  }
  event->root = tare_world_rank(comm, root);
  return comm->size == comm->own_size && root == comm->own_rank;
}

void tare_announce_peer(const struct tare_comm* comm, int rank, int tag) {
  if (comm != NULL) tare_announce(comm->number, tare_world_rank(comm, rank), tag);
}

void tare_describe_send(struct tare_event* event, const struct tare_comm* comm, int destination,
                        int tag, uint64_t bytes) {
  tare_set_comm(event, comm);
  tare_set_peer(event, tare_world_rank(comm, destination));
  event->tag = tag;
  event->fields |= TARE_MPI_TAG;
  tare_set_sent(event, bytes);
}

void tare_describe_receive(struct tare_event* event, const struct tare_comm* comm, int source,
                           int tag, uint64_t bytes) {
  tare_describe_send(event, comm, source, tag, bytes);
  if (source == MPI_ANY_SOURCE) event->fields |= TARE_MPI_ANY_SOURCE;
  if (tag == MPI_ANY_TAG) event->fields |= TARE_MPI_ANY_TAG;
}

void tare_describe_arrival(struct tare_event* event, const struct tare_comm* comm,
                           MPI_Status status) {
  tare_set_peer(event, tare_world_rank(comm, status.MPI_SOURCE));
  if (status.MPI_SOURCE == MPI_PROC_NULL) return;
  event->tag = status.MPI_TAG;
  tare_set_received(event, tare_status_bytes(&status));
}

void tare_describe_sendrecv(struct tare_event* event, const struct tare_comm* comm, int source,
                            int tag, MPI_Status status) {
  if (source == MPI_ANY_SOURCE) event->fields |= TARE_MPI_ANY_SOURCE;
  if (tag == MPI_ANY_TAG) event->fields |= TARE_MPI_ANY_TAG;
  event->source = tare_world_rank(comm, source == MPI_PROC_NULL ? source : status.MPI_SOURCE);
  event->recv_tag = source == MPI_PROC_NULL ? 0 : status.MPI_TAG;
  event->fields |= TARE_MPI_SOURCE | TARE_MPI_RECV_TAG;
  if (source != MPI_PROC_NULL) tare_set_received(event, tare_status_bytes(&status));
}

void tare_new_request(struct tare_event* event, MPI_Request handle, struct tare_comm* comm) {
  event->request = tare_next_request();
  event->fields |= TARE_MPI_NEW_REQUEST;
  tare_lock_handles();
  struct tare_request* request = tare_add_request(handle);
  if (request != NULL) {
    request->number = event->request;
    request->is_receive = comm != NULL;
    request->comm = comm;
    if (comm != NULL) ++comm->references;
  }
  tare_unlock_handles();
}

void tare_new_persistent(MPI_Request handle, enum tare_mpi_function start, int is_receive,
                         struct tare_comm* comm, int peer, int tag, uint64_t bytes) {
  tare_lock_handles();
  struct tare_request* request = tare_add_request(handle);
  if (request != NULL) {
    request->function = start;
    request->is_receive = is_receive;
    request->is_persistent = 1;
    request->peer = peer;
    request->tag = tag;
    request->bytes = bytes;
    request->comm = comm;
    if (comm != NULL) ++comm->references;
  }
  tare_unlock_handles();
}

void tare_start_persistent(struct tare_event* event, MPI_Request handle) {
  tare_lock_handles();
  struct tare_request* request = tare_find_request(handle);
  const int is_known = request != NULL && request->is_persistent;
  if (is_known) {
    request->number = tare_next_request();
    request->is_cancelled = 0;
    event->function = request->function;
    event->fields = TARE_MPI_CPU | TARE_MPI_NEW_REQUEST;
    event->request = request->number;
    if (request->is_receive) {
      tare_describe_receive(event, request->comm, request->peer, request->tag, request->bytes);
    } else {
      tare_describe_send(event, request->comm, request->peer, request->tag, request->bytes);
    }
  }
  tare_unlock_handles();
  if (!is_known) return;
  tare_write_event(event);
  event->start_ns = event->end_ns;
  event->cpu_ns = 0;
}

void tare_cancelled(MPI_Request handle) {
  tare_lock_handles();
  struct tare_request* request = tare_find_request(handle);
  if (request != NULL) request->is_cancelled = 1;
  tare_unlock_handles();
}

/* Messages are few: a list is enough. */
static struct message {
  uint64_t handle;
  struct tare_comm* comm;
  MPI_Status status;
  struct message* next;
}* messages;

void tare_add_message(uint64_t handle, struct tare_comm* comm, MPI_Status status) {
  struct message* message = malloc(sizeof *message);
  if (message == NULL || handle == TARE_KEY(tare_mpi.no_proc)) {
    free(message);
    return;
  }
  tare_lock_handles();
  *message = (struct message){handle, comm, status, messages};
  messages = message;
  tare_unlock_handles();
}

struct tare_comm* tare_take_message(struct tare_event* event, uint64_t handle, uint64_t bytes) {
  struct tare_comm* comm = NULL;
  tare_lock_handles();
  for (struct message** at = &messages; *at != NULL; at = &(*at)->next) {
    if ((*at)->handle != handle) continue;
    struct message* message = *at;
    comm = message->comm;
    tare_describe_receive(event, comm, message->status.MPI_SOURCE, message->status.MPI_TAG, bytes);
    *at = message->next;
    free(message);
    break;
  }
  tare_unlock_handles();
  return comm;
}

void tare_begin_waited(struct tare_waited* waited, int count) {
  waited->count = count > 0 ? count : 0;
  waited->completed = 0;
  waited->handles = waited->handle_room;
  waited->completions = waited->completion_room;
  if (waited->count <= 32) return;
  waited->handles = malloc((size_t)waited->count * sizeof *waited->handles);
  waited->completions = malloc((size_t)waited->count * sizeof *waited->completions);
  if (waited->handles == NULL || waited->completions == NULL) {
    free(waited->handles);
    free(waited->completions);
    waited->handles = waited->handle_room;
    waited->completions = waited->completion_room;
    waited->count = 0;
  }
}

void tare_complete(struct tare_waited* waited, int index, MPI_Status status) {
  if (index < 0 || index >= waited->count) return;
  const MPI_Request handle = waited->handles[index];
  tare_lock_handles();
  struct tare_request* request = tare_find_request(handle);
  if (request != NULL && request->number != 0) {
    struct tare_completion* done = &waited->completions[waited->completed++];
    *done = (struct tare_completion){request->number, 0, TARE_MPI_NO_RANK, 0, 0};
    int was_cancelled = 0;
    if (request->is_cancelled) REAL(Test_cancelled)(&status, &was_cancelled);
    if (was_cancelled) {
      done->kind = 2;
    } else if (request->is_receive) {
      done->kind = 1;
      done->source = tare_world_rank(request->comm, status.MPI_SOURCE);
      done->tag = status.MPI_SOURCE == MPI_PROC_NULL ? 0 : status.MPI_TAG;
      done->bytes = status.MPI_SOURCE == MPI_PROC_NULL ? 0 : tare_status_bytes(&status);
    }
    if (request->is_persistent) {
      request->number = 0;
    } else {
      tare_drop_request(handle);
    }
  }
  tare_unlock_handles();
}

void tare_freed(struct tare_event* event, struct tare_waited* waited) {
  const MPI_Request handle = waited->handles[0];
  tare_lock_handles();
  struct tare_request* request = tare_find_request(handle);
  if (request != NULL) {
    if (request->number != 0) {
      waited->completions[waited->completed++] =
          (struct tare_completion){request->number, 0, TARE_MPI_NO_RANK, 0, 0};
    }
    tare_drop_request(handle);
  }
  tare_unlock_handles();
  tare_describe_completions(event, waited);
}

void tare_describe_completions(struct tare_event* event, const struct tare_waited* waited) {
  if (waited->completed == 0) return;
  event->fields |= TARE_MPI_COMPLETIONS;
  event->completions = waited->completions;
  event->completion_count = waited->completed;
}

void tare_end_waited(struct tare_waited* waited) {
  if (waited->handles != waited->handle_room) free(waited->handles);
  if (waited->completions != waited->completion_room) free(waited->completions);
}

uint64_t* tare_new_list(struct tare_event* event, uint64_t count) {
  uint64_t* list = malloc((count + 1) * sizeof *list);
  if (list == NULL) return NULL;
  event->fields |= TARE_MPI_LIST;
  event->list = list;
  event->list_count = (uint32_t)count;
  return list;
}

uint64_t* tare_list(struct tare_event* event, const int* counts, uint64_t members,
                    MPI_Datatype type) {
  uint64_t* list = tare_new_list(event, members);
  const uint64_t size = tare_bytes(1, type);
  for (uint64_t i = 0; list != NULL && i < members; ++i) {
    list[i] = counts[i] > 0 ? (uint64_t)counts[i] * size : 0;
  }
  return list;
}

uint64_t* tare_group_list(struct tare_event* event, MPI_Group group) {
  int size = 0;
  MPI_Group world;
  REAL(Group_size)(group, &size);
  REAL(Comm_group)(tare_mpi.world, &world);
  uint64_t* list = tare_new_list(event, (uint64_t)size);
  for (int i = 0; list != NULL && i < size; ++i) {
    int rank = 0;
    REAL(Group_translate_ranks)(group, 1, &i, world, &rank);
    list[i] = (uint64_t)rank;
  }
  REAL(Group_free)(&world);
  return list;
}

void tare_initialized(struct tare_event* event) {
  tare_returned(event);
  tare_library_start();
  int rank = 0;
  int size = 1;
  int level = MPI_THREAD_SINGLE;
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  REAL(Comm_rank)(tare_mpi.world, &rank);
  REAL(Comm_size)(tare_mpi.world, &size);
  REAL(Query_thread)(&level);
  REAL(Get_library_version)(library, &length);
  /* All processes of a job agree on its number, which rank 0 claims. */
  uint64_t job[2] = {0, 0};
  if (rank == 0) {
    job[0] = tare_file_claim();
    if (job[0] != 0 && getrandom(&job[1], sizeof job[1], 0) < 0) job[1] = tare_now();
  }
  REAL(Bcast)(job, (int)sizeof job, tare_mpi.byte, 0, tare_mpi.world);
  const struct tare_process process = {
      .rank = (uint32_t)rank,
      .size = (uint32_t)size,
      .thread_level = level == MPI_THREAD_MULTIPLE     ? 3
                      : level == MPI_THREAD_SERIALIZED ? 2
                      : level == MPI_THREAD_FUNNELED   ? 1
                                                       : 0,
      .job = job[1],
      .job_number = (uint32_t)job[0],
      .init_start_ns = event->start_ns,
      .library = library,
  };
  tare_recorder_start(&process);
  if (!tare_file_is_on()) return;
  tare_handles_start();
  tare_write_event(event);
}
