/* mpi_openmp.c: MPI ranks with OpenMP threads, whose regions, barriers and imbalance are known.
 * Argument: how the ranks end ("kill": by SIGKILL). Without MPI if WITHOUT_MPI is defined. */
#ifndef WITHOUT_MPI
#include <mpi.h>
#endif
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern int omp_get_thread_num(void);

#define REGIONS 5
#define THREADS 3

/* CPU time, so that the imbalance is the same on a busy machine. */
static void work(int milliseconds) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  const int64_t end =
      time.tv_sec * INT64_C(1000000000) + time.tv_nsec + milliseconds * INT64_C(1000000);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  } while (time.tv_sec * INT64_C(1000000000) + time.tv_nsec < end);
}

/* Something to do after a region, so that the compiler does not turn its call into a jump. */
static volatile int regions;

/* One barrier, one loop and the end of the region. The last thread works for 12 ms, the others for
 * 3 ms: a mean of 6 ms, and an imbalance of 2. */
__attribute__((noinline)) static void unbalanced_region(void) {
#pragma omp parallel num_threads(THREADS)
  {
    work(omp_get_thread_num() == THREADS - 1 ? 8 : 2);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < THREADS; ++i) work(i == THREADS - 1 ? 4 : 1);
  }
  ++regions;
}

/* Two threads wait for tasks and execute them: the time in tasks is work. */
__attribute__((noinline)) static void tasks(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    {
      for (int i = 0; i < 4; ++i) {
#pragma omp task
        work(2);
      }
#pragma omp taskwait
    }
  }
  ++regions;
}

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "";
#ifndef WITHOUT_MPI
  MPI_Init(&count, &arguments);
#endif
  for (int i = 0; i < REGIONS; ++i) unbalanced_region();
  tasks();
#ifndef WITHOUT_MPI
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (strcmp(how, "kill") == 0) {
    /* What is older than 0.1 s is in the file. */
    work(110);
    unbalanced_region();
    /* A killed process leaves the file by which libomp finds a second copy of itself. */
    char file[80];
    snprintf(file, sizeof file, "/dev/shm/__KMP_REGISTERED_LIB_%d_%d", (int)getpid(),
             (int)getuid());
    unlink(file);
    raise(SIGKILL);
  }
#ifndef WITHOUT_MPI
  MPI_Finalize();
#endif
  return 0;
}
