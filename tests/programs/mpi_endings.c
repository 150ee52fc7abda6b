/* mpi_endings.c: ranks that end in other ways than MPI_Finalize. Argument: how rank 1 ends. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "";
  int rank;
  int number = 0;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    if (strcmp(how, "kill") == 0) {
      usleep(500000);  // rank 0 waits in its MPI_Recv by then
      raise(SIGKILL);
    }
    if (strcmp(how, "exit") == 0) _exit(3);
    if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
    if (strcmp(how, "unreceived") == 0) MPI_Send(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  } else if (strcmp(how, "unreceived") != 0) {
    MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
