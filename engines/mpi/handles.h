/* handles.h: communicators, windows and requests of this process by their handles.
 *
 * Functions that may call MPI are named after what they return and are called after the program's
 * own call has succeeded, so that wrong arguments fail where they fail without tare. */
#pragma once

#include <stdint.h>

#include "library.h"
#include "recorder.h"

struct tare_comm {
  uint32_t number;
  uint32_t references;
  int size;         /* of the group that peers are in: the remote one of an intercommunicator */
  int own_rank;     /* in its own group */
  int own_size;     /* of its own group */
  int32_t* ranks;   /* world ranks of peers; null: the same */
  uint32_t sources; /* of a topology */
  uint32_t destinations;
};

struct tare_request {
  uint32_t number;   /* of the active communication; 0: a persistent request that is not active */
  uint32_t function; /* as an event */
  int is_receive;
  int is_persistent;
  int is_cancelled;
  int32_t peer; /* world rank */
  int32_t tag;
  uint32_t flags; /* TARE_MPI_ANY_SOURCE, TARE_MPI_ANY_TAG */
  uint64_t bytes;
  struct tare_comm* comm; /* null: not point-to-point */
};

void tare_handles_start(void);

/* A known communicator or null; never calls MPI. */
struct tare_comm* tare_find_comm(MPI_Comm comm);
/* Defines an unknown one. Null for MPI_COMM_NULL. */
struct tare_comm* tare_get_comm(MPI_Comm comm);
/* Defines the communicator that a call on `parent` created. */
struct tare_comm* tare_add_comm(MPI_Comm comm, const struct tare_comm* parent, int is_group);
void tare_drop_comm(MPI_Comm comm);
struct tare_comm* tare_find_window(MPI_Win window);
struct tare_comm* tare_add_window(MPI_Win window, MPI_Comm comm);
void tare_drop_window(MPI_Win window);

/* The world rank of a peer; MPI_ANY_SOURCE gives TARE_MPI_NO_RANK. */
int32_t tare_world_rank(const struct tare_comm* comm, int rank);

/* A handle can denote several requests: libraries share one for sends that are complete. They
 * are found in order of creation. */
struct tare_request* tare_add_request(MPI_Request handle);
struct tare_request* tare_find_request(MPI_Request handle);
void tare_drop_request(MPI_Request handle);
uint32_t tare_next_request(void);

void tare_lock_handles(void);
void tare_unlock_handles(void);
