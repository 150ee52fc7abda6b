/* mpi_two_speeds.c: ranks whose computation is of different kinds: even ones multiply numbers that
 * depend on each other, odd ones add up an array that no cache holds. A single rank does both. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS (2 << 20)
#define STEPS 5

static __attribute__((noinline)) double multiply(long count) {
  double product = 1;
  for (long i = 0; i < count; ++i) product = product * 1.0000001 + 1e-9;
  return product;
}

static __attribute__((noinline)) double add(const double* numbers) {
  double sum = 0;
  for (long i = 0; i < WORDS; ++i) sum += numbers[i];
  return sum;
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int adds = rank % 2 == 1 || size == 1;
  double* numbers = malloc(WORDS * sizeof *numbers);
  if (numbers == NULL) return 1;
  for (long i = 0; adds && i < WORDS; ++i) numbers[i] = (double)i;
  MPI_Barrier(MPI_COMM_WORLD);
  double sum = 0;
  for (int step = 0; step < STEPS; ++step) {
    if (rank % 2 == 0) sum += multiply(1000000);
    if (adds) sum += add(numbers);
    double all;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum = all * 1e-9;
  }
  free(numbers);
  if (rank == 0) printf("%s\n", sum > 0 ? "done" : "not done");
  MPI_Finalize();
  return 0;
}
