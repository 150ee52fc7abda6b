/* describe.h: fills events from the arguments of calls; for calls.inc. */
#pragma once

#include <stdlib.h>

#include "handles.h"

static inline uint64_t tare_bytes(int count, MPI_Datatype type) {
  int size = 0;
  if (count <= 0 || type == tare_mpi.datatype_null) return 0;
  REAL(Type_size)(type, &size);
  return size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

static inline uint64_t tare_sum(const int* counts, uint64_t members, MPI_Datatype type) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < members; ++i) sum += counts[i] > 0 ? (uint64_t)counts[i] : 0;
  return sum * tare_bytes(1, type);
}

static inline int tare_size(const struct tare_comm* comm) { return comm != NULL ? comm->size : 0; }
static inline int tare_own_rank(const struct tare_comm* comm) {
  return comm != NULL ? comm->own_rank : 0;
}
static inline uint64_t tare_sources(const struct tare_comm* comm) {
  return comm != NULL ? comm->sources : 0;
}
static inline uint64_t tare_destinations(const struct tare_comm* comm) {
  return comm != NULL ? comm->destinations : 0;
}

static inline void tare_set_comm(struct tare_event* event, const struct tare_comm* comm) {
  if (comm == NULL || comm->number == TARE_MPI_WORLD) return;
  event->comm = comm->number;
  event->fields |= TARE_MPI_COMM;
}

static inline void tare_set_new_comm(struct tare_event* event, const struct tare_comm* comm) {
  if (comm == NULL) return;
  event->new_comm = comm->number;
  event->fields |= TARE_MPI_NEW_COMM;
}

static inline void tare_set_peer(struct tare_event* event, int32_t rank) {
  event->peer = rank;
  event->fields |= TARE_MPI_PEER;
}

static inline void tare_set_sent(struct tare_event* event, uint64_t bytes) {
  event->sent = bytes;
  event->fields |= TARE_MPI_SENT;
}

static inline void tare_set_received(struct tare_event* event, uint64_t bytes) {
  event->received = bytes;
  event->fields |= TARE_MPI_RECEIVED;
}

/* Returns whether this process is the root. */
int tare_set_root(struct tare_event* event, const struct tare_comm* comm, int root);

/* Before the call: what it waits for. */
void tare_announce_peer(const struct tare_comm* comm, int rank, int tag);

void tare_describe_send(struct tare_event* event, const struct tare_comm* comm, int destination,
                        int tag, uint64_t bytes);
/* As posted. */
void tare_describe_receive(struct tare_event* event, const struct tare_comm* comm, int source,
                           int tag, uint64_t bytes);
/* What arrived. */
void tare_describe_arrival(struct tare_event* event, const struct tare_comm* comm,
                           MPI_Status status);
void tare_describe_sendrecv(struct tare_event* event, const struct tare_comm* comm, int source,
                            int tag, MPI_Status status);

/* The event's request. `comm` is that of a receive, otherwise null. */
void tare_new_request(struct tare_event* event, MPI_Request handle, struct tare_comm* comm);
void tare_new_persistent(MPI_Request handle, enum tare_mpi_function start, int is_receive,
                         struct tare_comm* comm, int peer, int tag, uint64_t bytes);
/* Writes a send or receive. The next one of the same call gets no time. */
void tare_start_persistent(struct tare_event* event, MPI_Request handle);
void tare_cancelled(MPI_Request handle);

/* Messages of Mprobe, by handle. */
void tare_add_message(uint64_t handle, struct tare_comm* comm, MPI_Status status);
struct tare_comm* tare_take_message(struct tare_event* event, uint64_t handle, uint64_t bytes);

/* The requests that a call waits for. Handles are kept, because the call resets them. */
struct tare_waited {
  MPI_Request* handles;
  struct tare_completion* completions;
  int count;
  uint32_t completed;
  MPI_Request handle_room[32];
  struct tare_completion completion_room[32];
};
void tare_begin_waited(struct tare_waited* waited, int count);
void tare_complete(struct tare_waited* waited, int index, MPI_Status status);
void tare_freed(struct tare_event* event, struct tare_waited* waited);
void tare_describe_completions(struct tare_event* event, const struct tare_waited* waited);
void tare_end_waited(struct tare_waited* waited);

/* A list of bytes per member, to be freed. */
uint64_t* tare_new_list(struct tare_event* event, uint64_t count);
uint64_t* tare_list(struct tare_event* event, const int* counts, uint64_t members,
                    MPI_Datatype type);
uint64_t* tare_group_list(struct tare_event* event, MPI_Group group);

/* MPI_Init has returned: starts recording and writes its event. */
void tare_initialized(struct tare_event* event);
