/* self_calls.c: CPU time per MPI call of messages and reductions of a process with itself, which
 * need no other process and no network. Arguments: repetitions. Prints nanoseconds per call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? atoi(arguments[1]) : 100000;
  MPI_Init(&count, &arguments);
  double out[8] = {0};
  double in[8];
  double start = cpu_ns();
  for (int i = 0; i < repetitions; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(in, 8, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(out, 8, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  const double messages = (cpu_ns() - start) / repetitions / 3;
  start = cpu_ns();
  for (int i = 0; i < repetitions; ++i) {
    MPI_Allreduce(out, in, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  }
  const double reductions = (cpu_ns() - start) / repetitions;
  start = cpu_ns();
  for (int i = 0; i < repetitions; ++i) {
    MPI_Sendrecv(out, 8, MPI_DOUBLE, 0, 1, in, 8, MPI_DOUBLE, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
  }
  const double exchanges = (cpu_ns() - start) / repetitions;
  printf("%.1f %.1f %.1f\n", messages, reductions, exchanges);
  MPI_Finalize();
  return 0;
}
