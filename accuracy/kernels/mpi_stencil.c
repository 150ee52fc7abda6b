/* mpi_stencil.c: heat in a rod, divided among the ranks of an MPI program; a reduction every few steps.
 *
 * usage: stencil [CELLS [STEPS]]   (default: 2000000 cells in total, 200 steps) */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long cells = argc > 1 ? atol(argv[1]) : 2000000;
  const int steps = argc > 2 ? atoi(argv[2]) : 200;
  const long mine = cells / size;
  double* now = calloc((size_t)mine + 2, sizeof *now);
  double* next = calloc((size_t)mine + 2, sizeof *next);
  if (mine < 1 || now == NULL || next == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) now[0] = next[0] = 1000;
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double change = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, 0, &now[mine + 1], 1, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&now[mine], 1, MPI_DOUBLE, right, 0, &now[0], 1, MPI_DOUBLE, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) now[0] = 1000;
    double largest = 0;
    for (long i = 1; i <= mine; ++i) {
      next[i] = 0.25 * (now[i - 1] + 2 * now[i] + now[i + 1]);
      largest = fmax(largest, fabs(next[i] - now[i]));
    }
    double* swapped = now;
    now = next;
    next = swapped;
    if (step % 10 == 9) MPI_Allreduce(&largest, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%d ranks, largest change %.6f\n", size, change);
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
