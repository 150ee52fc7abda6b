/* mpi_calls.c: one of everything that tare mpi records, with known peers, sizes and tags. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, right, left;

static void point_to_point(void) {
  char out[1000] = {0};
  char in[1000];
  MPI_Status status;
  MPI_Request requests[4];
  /* 100 bytes around the ring, in each mode. */
  if (rank % 2 == 0) {
    MPI_Send(out, 100, MPI_CHAR, right, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 1000, MPI_CHAR, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ssend(out, 25, MPI_INT, right, 2, MPI_COMM_WORLD);
    MPI_Recv(in, 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  } else {
    MPI_Recv(in, 1000, MPI_CHAR, left, 1, MPI_COMM_WORLD, &status);
    MPI_Send(out, 100, MPI_CHAR, right, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ssend(out, 25, MPI_INT, right, 2, MPI_COMM_WORLD);
  }
  MPI_Sendrecv(out, 8, MPI_DOUBLE, right, 3, in, 1000, MPI_CHAR, left, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(out, 10, MPI_CHAR, right, 4, left, 4, MPI_COMM_WORLD, &status);
  MPI_Sendrecv(out, 5, MPI_CHAR, MPI_PROC_NULL, 4, in, 5, MPI_CHAR, MPI_PROC_NULL, 4,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  /* Requests, completed in each way. */
  for (int i = 0; i < 4; ++i) {
    MPI_Irecv(in, 1000, MPI_CHAR, i == 0 ? MPI_ANY_SOURCE : left, 10 + i, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(out, 7, MPI_CHAR, right, 10 + i, MPI_COMM_WORLD, &requests[1]);
    int index;
    int count;
    int flag = 0;
    int indices[2];
    MPI_Status statuses[2];
    if (i == 0) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (i == 1) {
      MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
      MPI_Waitany(2, requests, &index, &status);
    }
    if (i == 2) {
      for (int done = 0; done < 2; done += count) {
        MPI_Waitsome(2, requests, &count, indices, statuses);
      }
    }
    if (i == 3) {
      while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    }
  }
  /* Persistent requests, started three times. */
  MPI_Recv_init(in, 1000, MPI_CHAR, left, 20, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, 11, MPI_CHAR, right, 20, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  /* A receive that never gets a message. */
  MPI_Irecv(in, 1000, MPI_CHAR, left, 99, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  /* Probes. */
  MPI_Isend(out, 13, MPI_CHAR, right, 30, MPI_COMM_WORLD, &requests[0]);
  MPI_Probe(left, 30, MPI_COMM_WORLD, &status);
  MPI_Recv(in, 13, MPI_CHAR, left, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Message message;
  MPI_Isend(out, 14, MPI_CHAR, right, 31, MPI_COMM_WORLD, &requests[0]);
  MPI_Mprobe(left, 31, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(in, 14, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  int arrived = 0;
  MPI_Isend(out, 15, MPI_CHAR, right, 32, MPI_COMM_WORLD, &requests[0]);
  while (!arrived) MPI_Iprobe(left, 32, MPI_COMM_WORLD, &arrived, &status);
  MPI_Recv(in, 15, MPI_CHAR, left, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  /* A derived type: 3 blocks of 2 of 4 integers, 24 bytes. */
  MPI_Datatype type;
  MPI_Type_vector(3, 2, 4, MPI_INT, &type);
  MPI_Type_commit(&type);
  int cells[20] = {0};
  MPI_Sendrecv(cells, 1, type, right, 40, in, 24, MPI_CHAR, left, 40, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
}

static void collectives(MPI_Comm comm) {
  int members;
  int own;
  MPI_Comm_size(comm, &members);
  MPI_Comm_rank(comm, &own);
  int* out = calloc((size_t)members * 4, sizeof *out);
  int* in = calloc((size_t)members * 4, sizeof *in);
  int* counts = calloc((size_t)members, sizeof *counts);
  int* places = calloc((size_t)members, sizeof *places);
  for (int i = 0; i < members; ++i) {
    counts[i] = 1 + (i + own) % 2;
    places[i] = 4 * i;
  }
  MPI_Barrier(comm);
  MPI_Bcast(out, 4, MPI_INT, 0, comm);
  MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, members - 1, comm);
  MPI_Scatter(out, 3, MPI_INT, in, 3, MPI_INT, 0, comm);
  MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
  MPI_Reduce(out, in, 4, MPI_INT, MPI_SUM, 0, comm);
  MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, comm);
  MPI_Scan(out, in, 2, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(out, in, 2, MPI_INT, MPI_SUM, comm);
  MPI_Request request;
  MPI_Iallreduce(out, in, 3, MPI_INT, MPI_MAX, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibarrier(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(out);
  free(in);
  free(counts);
  free(places);
}

static void communicators(void) {
  MPI_Comm half;
  MPI_Comm copy;
  MPI_Comm ring;
  MPI_Comm none;
  int periodic = 1;
  int number = rank;
  int in[2];
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, 0, &none);
  if (none != MPI_COMM_NULL) MPI_Comm_free(&none);
  collectives(half);
  MPI_Cart_create(copy, 1, &size, &periodic, 0, &ring);
  MPI_Neighbor_alltoall((int[]){1, 2}, 1, MPI_INT, in, 1, MPI_INT, ring);
  MPI_Sendrecv(&number, 1, MPI_INT, right, 1, in, 1, MPI_INT, left, 1, copy, MPI_STATUS_IGNORE);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
}

static void one_sided(void) {
  int shared[4] = {0};
  int value = rank;
  MPI_Win window;
  MPI_Win_create(shared, sizeof shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, window);
  MPI_Accumulate(&value, 1, MPI_INT, left, 1, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Get(&value, 1, MPI_INT, right, 2, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Get(&value, 1, MPI_INT, right, 2, 1, MPI_INT, window);
  MPI_Win_unlock(right, window);
  MPI_Win_free(&window);
}

int main(int count, char** arguments) {
  int level;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  point_to_point();
  collectives(MPI_COMM_WORLD);
  communicators();
  one_sided();
  if (rank == 0) printf("%d ranks\n", size);
  MPI_Finalize();
  return count > 1 ? atoi(arguments[1]) : 0;
}
