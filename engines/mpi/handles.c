/* handles.c: hash tables of handles. */
#include "handles.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* An entry of a table. Entries with the same handle are in order of insertion. */
struct node {
  uint64_t key;
  struct node* next;
  union {
    struct tare_comm* comm;
    struct tare_request request;
  } value;
};

struct table {
  struct node** heads;
  uint64_t size; /* a power of 2 */
  uint64_t used;
};

static struct table comms;
static struct table windows;
static struct table requests;
static struct node* free_nodes;
static uint32_t comm_count;
static uint32_t request_count;
static MPI_Group world_group;
static int world_size;
static int is_locked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The communicator that was used last: most programs use one. */
static uint64_t last_key;
static struct tare_comm* last_comm;

void tare_lock_handles(void) {
  if (is_locked) pthread_mutex_lock(&lock);
}

void tare_unlock_handles(void) {
  if (is_locked) pthread_mutex_unlock(&lock);
}

static uint64_t place(const struct table* table, uint64_t key) {
  return (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (table->size - 1);
}

static void grow(struct table* table) {
  struct table larger = {NULL, table->size == 0 ? 64 : 2 * table->size, table->used};
  larger.heads = calloc(larger.size, sizeof *larger.heads);
  if (larger.heads == NULL) return;
  for (uint64_t i = 0; i < table->size; ++i) {
    struct node* next;
    for (struct node* node = table->heads[i]; node != NULL; node = next) {
      next = node->next;
      node->next = NULL;
      struct node** at = &larger.heads[place(&larger, node->key)];
      while (*at != NULL) at = &(*at)->next;
      *at = node;
    }
  }
  free(table->heads);
  *table = larger;
}

static struct node* find(const struct table* table, uint64_t key) {
  if (table->size == 0) return NULL;
  struct node* node = table->heads[place(table, key)];
  while (node != NULL && node->key != key) node = node->next;
  return node;
}

static struct node* insert(struct table* table, uint64_t key) {
  if (table->used >= table->size) grow(table);
  if (table->size == 0) return NULL;
  struct node* node = free_nodes;
  if (node != NULL) {
    free_nodes = node->next;
  } else {
    node = malloc(sizeof *node);
    if (node == NULL) return NULL;
  }
  memset(node, 0, sizeof *node);
  node->key = key;
  struct node** at = &table->heads[place(table, key)];
  while (*at != NULL) at = &(*at)->next;
  *at = node;
  table->used++;
  return node;
}

static void erase(struct table* table, uint64_t key) {
  if (table->size == 0) return;
  struct node** at = &table->heads[place(table, key)];
  while (*at != NULL && (*at)->key != key) at = &(*at)->next;
  struct node* node = *at;
  if (node == NULL) return;
  *at = node->next;
  node->next = free_nodes;
  free_nodes = node;
  table->used--;
}

static void unuse(struct tare_comm* comm) {
  if (comm == NULL || --comm->references > 0) return;
  free(comm->ranks);
  free(comm);
}

int32_t tare_world_rank(const struct tare_comm* comm, int rank) {
  if (rank == MPI_PROC_NULL) return TARE_MPI_NULL_RANK;
  if (comm == NULL || rank < 0 || rank >= comm->size) return TARE_MPI_NO_RANK;
  return comm->ranks != NULL ? comm->ranks[rank] : rank;
}

/* The world ranks of a group, allocated; processes outside of the world get TARE_MPI_NO_RANK. */
static int32_t* world_ranks(MPI_Group group, int* size) {
  REAL(Group_size)(group, size);
  const size_t count = (size_t)*size;
  int* from = malloc((count + 1) * sizeof *from);
  int* to = malloc((count + 1) * sizeof *to);
  if (from != NULL && to != NULL) {
    for (int i = 0; i < *size; ++i) from[i] = i;
    REAL(Group_translate_ranks)(group, *size, from, world_group, to);
    for (int i = 0; i < *size; ++i) {
      if (to[i] < 0 || to[i] >= world_size) to[i] = TARE_MPI_NO_RANK;
    }
  }
  free(from);
  return to;
}

static int32_t* neighbors(const struct tare_comm* comm, const int* ranks, int count) {
  int32_t* result = malloc(((size_t)count + 1) * sizeof *result);
  if (result == NULL) return NULL;
  for (int i = 0; i < count; ++i) result[i] = tare_world_rank(comm, ranks[i]);
  return result;
}

/* Neighbors in the order of neighborhood collectives (MPI-3.1, section 7.6). */
static int topology(MPI_Comm comm, struct tare_comm* entry, struct tare_members* in,
                    struct tare_members* out) {
  int kind = MPI_UNDEFINED;
  REAL(Topo_test)(comm, &kind);
  int inputs = 0;
  int outputs = 0;
  int* sources = NULL;
  int* destinations = NULL;
  if (kind == MPI_CART) {
    int dimensions = 0;
    REAL(Cartdim_get)(comm, &dimensions);
    inputs = outputs = 2 * dimensions;
    sources = calloc((size_t)inputs + 1, sizeof *sources);
    destinations = calloc((size_t)outputs + 1, sizeof *destinations);
    for (int i = 0; sources != NULL && destinations != NULL && i < dimensions; ++i) {
      REAL(Cart_shift)(comm, i, 1, &sources[2 * i], &sources[2 * i + 1]);
      destinations[2 * i] = sources[2 * i];
      destinations[2 * i + 1] = sources[2 * i + 1];
    }
  } else if (kind == MPI_GRAPH) {
    REAL(Graph_neighbors_count)(comm, entry->own_rank, &inputs);
    outputs = inputs;
    sources = calloc((size_t)inputs + 1, sizeof *sources);
    destinations = calloc((size_t)outputs + 1, sizeof *destinations);
    if (sources != NULL && destinations != NULL) {
      REAL(Graph_neighbors)(comm, entry->own_rank, inputs, sources);
      memcpy(destinations, sources, (size_t)inputs * sizeof *sources);
    }
  } else if (kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    REAL(Dist_graph_neighbors_count)(comm, &inputs, &outputs, &weighted);
    sources = calloc((size_t)inputs + 1, sizeof *sources);
    destinations = calloc((size_t)outputs + 1, sizeof *destinations);
    int* weights = calloc((size_t)inputs + (size_t)outputs + 2, sizeof *weights);
    if (sources != NULL && destinations != NULL && weights != NULL) {
      REAL(Dist_graph_neighbors)
      (comm, inputs, sources, weights, outputs, destinations, weights + inputs);
    }
    free(weights);
  } else {
    return 0;
  }
  in->ranks = sources != NULL ? neighbors(entry, sources, inputs) : NULL;
  in->count = in->ranks != NULL ? (uint32_t)inputs : 0;
  out->ranks = destinations != NULL ? neighbors(entry, destinations, outputs) : NULL;
  out->count = out->ranks != NULL ? (uint32_t)outputs : 0;
  entry->sources = in->count;
  entry->destinations = out->count;
  free(sources);
  free(destinations);
  return 1;
}

static struct tare_comm* define(MPI_Comm comm, uint32_t kind, uint32_t parent_and_one) {
  struct tare_comm* entry = calloc(1, sizeof *entry);
  if (entry == NULL) return NULL;
  int is_inter = 0;
  MPI_Group group;
  REAL(Comm_test_inter)(comm, &is_inter);
  REAL(Comm_rank)(comm, &entry->own_rank);
  REAL(Comm_group)(comm, &group);
  int32_t* local = world_ranks(group, &entry->own_size);
  REAL(Group_free)(&group);
  int32_t* remote = NULL;
  entry->size = entry->own_size;
  entry->ranks = local;
  if (is_inter) {
    REAL(Comm_remote_group)(comm, &group);
    remote = world_ranks(group, &entry->size);
    REAL(Group_free)(&group);
    entry->ranks = remote;
    kind = TARE_MPI_COMM_INTER;
  }
  entry->number = comm_count++;
  entry->references = 1;
  const struct tare_members members = {local, local != NULL ? (uint32_t)entry->own_size : 0};
  const struct tare_members others = {remote, remote != NULL ? (uint32_t)entry->size : 0};
  struct tare_members in = {NULL, 0};
  struct tare_members out = {NULL, 0};
  if (kind == TARE_MPI_COMM_INTRA && topology(comm, entry, &in, &out)) {
    kind = TARE_MPI_COMM_TOPOLOGY;
  }
  tare_define_comm(entry->number, kind, parent_and_one, members, &others, &in, &out);
  free((void*)in.ranks);
  free((void*)out.ranks);
  if (remote != NULL) free(local);
  return entry;
}

void tare_handles_start(void) {
  int level = MPI_THREAD_SINGLE;
  REAL(Query_thread)(&level);
  is_locked = level == MPI_THREAD_MULTIPLE;
  REAL(Comm_group)(tare_mpi.world, &world_group);
  REAL(Comm_size)(tare_mpi.world, &world_size);
  struct node* world = insert(&comms, TARE_KEY(tare_mpi.world));
  struct node* self = insert(&comms, TARE_KEY(tare_mpi.self));
  if (world != NULL) world->value.comm = define(tare_mpi.world, TARE_MPI_COMM_INTRA, 0);
  if (self != NULL) self->value.comm = define(tare_mpi.self, TARE_MPI_COMM_INTRA, 0);
}

struct tare_comm* tare_find_comm(MPI_Comm comm) {
  const uint64_t key = TARE_KEY(comm);
  tare_lock_handles();
  if (key != last_key || last_comm == NULL) {
    struct node* node = find(&comms, key);
    last_key = key;
    last_comm = node != NULL ? node->value.comm : NULL;
  }
  struct tare_comm* found = last_comm;
  tare_unlock_handles();
  return found;
}

static struct tare_comm* add(struct table* table, uint64_t key, struct tare_comm* comm) {
  tare_lock_handles();
  struct node* node = comm != NULL ? insert(table, key) : NULL;
  if (node != NULL) node->value.comm = comm;
  tare_unlock_handles();
  return comm;
}

struct tare_comm* tare_get_comm(MPI_Comm comm) {
  if (comm == tare_mpi.comm_null) return NULL;
  struct tare_comm* found = tare_find_comm(comm);
  if (found != NULL) return found;
  last_comm = NULL;
  return add(&comms, TARE_KEY(comm), define(comm, TARE_MPI_COMM_INTRA, 0));
}

struct tare_comm* tare_add_comm(MPI_Comm comm, const struct tare_comm* parent, int is_group) {
  if (comm == tare_mpi.comm_null) return NULL;
  last_comm = NULL;
  return add(&comms, TARE_KEY(comm),
             define(comm, is_group ? TARE_MPI_COMM_GROUP : TARE_MPI_COMM_INTRA,
                    parent != NULL ? parent->number + 1 : 0));
}

static void drop(struct table* table, uint64_t key) {
  tare_lock_handles();
  struct node* node = find(table, key);
  if (node != NULL) {
    unuse(node->value.comm);
    erase(table, key);
  }
  last_comm = NULL;
  tare_unlock_handles();
}

void tare_drop_comm(MPI_Comm comm) { drop(&comms, TARE_KEY(comm)); }

struct tare_comm* tare_find_window(MPI_Win window) {
  tare_lock_handles();
  struct node* node = find(&windows, TARE_KEY(window));
  struct tare_comm* found = node != NULL ? node->value.comm : NULL;
  tare_unlock_handles();
  return found;
}

struct tare_comm* tare_add_window(MPI_Win window, MPI_Comm comm) {
  const struct tare_comm* parent = tare_get_comm(comm);
  return add(&windows, TARE_KEY(window),
             define(comm, TARE_MPI_COMM_WINDOW, parent != NULL ? parent->number + 1 : 0));
}

void tare_drop_window(MPI_Win window) { drop(&windows, TARE_KEY(window)); }

uint32_t tare_next_request(void) { return __atomic_add_fetch(&request_count, 1, __ATOMIC_RELAXED); }

struct tare_request* tare_add_request(MPI_Request handle) {
  if (handle == tare_mpi.request_null) return NULL;
  struct node* node = insert(&requests, TARE_KEY(handle));
  return node != NULL ? &node->value.request : NULL;
}

struct tare_request* tare_find_request(MPI_Request handle) {
  if (handle == tare_mpi.request_null) return NULL;
  struct node* node = find(&requests, TARE_KEY(handle));
  return node != NULL ? &node->value.request : NULL;
}

void tare_drop_request(MPI_Request handle) {
  struct node* node = find(&requests, TARE_KEY(handle));
  if (node == NULL) return;
  if (node->value.request.comm != NULL) unuse(node->value.request.comm);
  erase(&requests, TARE_KEY(handle));
}
