/* heat.c: heat in a rod, divided among the ranks. Each step exchanges the ends of each part with
 * the neighbors and computes; every ten steps all ranks agree on the change. Arguments: cells per
 * rank, steps. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank;
  int ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int cells = count > 1 ? atoi(arguments[1]) : 100000;
  const int steps = count > 2 ? atoi(arguments[2]) : 1000;
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double* now = calloc((size_t)cells + 2, sizeof *now);
  double* next = calloc((size_t)cells + 2, sizeof *next);
  if (rank == 0) now[0] = next[0] = 100;
  double change = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[4];
    MPI_Irecv(&now[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&now[cells + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&now[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&now[cells], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    double own = 0;
    for (int i = 1; i <= cells; ++i) {
      next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
      own = fmax(own, fabs(next[i] - now[i]));
    }
    double* swap = now;
    now = next;
    next = swap;
    if (rank == 0) now[0] = 100;
    if (step % 10 == 0) {
      MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
  }
  if (rank == 0) printf("change after %d steps: %.3g\n", steps, change);
  MPI_Finalize();
  free(now);
  free(next);
  return 0;
}
