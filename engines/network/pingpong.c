/* pingpong.c: an MPI program that measures messages between two ranks of one node and of two nodes.
 *
 * usage: pingpong FILE SECONDS
 * Rank 0 writes lines to FILE:
 *   ranks N nodes N cores N
 *   PAIR time BYTES MEDIAN LOW HIGH   one way, in seconds; PAIR is within, between, shared or crowd
 *   PAIR overhead SEND RECEIVE        seconds of a call that does not wait
 *   PAIR eager BYTES                  the largest size whose send does not wait for the receive
 *   slice SECONDS                     a rank computes, while another one waits for its core
 *   crowded RANKS                     on the core of pair crowd
 *   reduction BYTES_PER_SECOND
 *   end
 * Pair shared (two ranks on one core), crowd (likewise, and others wait there) and the slice are
 * measured if rank 0's node has more ranks than cores and the affinity of its ranks is known. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMaxBlocks = 41, kMaxBytes = 4 << 20 };

static char* buffer;
static int rank;

static int Compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static void PingPong(int other, int is_first, int bytes, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    if (is_first) {
      MPI_Send(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
    }
  }
}

/* Both ranks call these with each other's number. */
static void Times(FILE* file, const char* pair, int other, int is_first, double seconds,
                  int max_bytes) {
  for (int bytes = 0; bytes <= max_bytes; bytes = bytes == 0 ? 1 : bytes * 4) {
    int rounds = 1;
    double time = 0;
    while (1) { /* rounds that take a millisecond */
      MPI_Sendrecv(buffer, 0, MPI_BYTE, other, 2, buffer, 0, MPI_BYTE, other, 2, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      const double start = MPI_Wtime();
      PingPong(other, is_first, bytes, rounds);
      time = MPI_Wtime() - start;
      int more = is_first && time < 1e-3 && rounds < 100000;
      MPI_Sendrecv_replace(&more, 1, MPI_INT, other, 3, other, 3, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE);
      if (is_first) more = time < 1e-3 && rounds < 100000;
      if (!more) break;
      rounds *= 2;
    }
    double blocks[kMaxBlocks];
    int count = 0;
    double spent = 0;
    while (1) {
      const double start = MPI_Wtime();
      PingPong(other, is_first, bytes, rounds);
      const double block = MPI_Wtime() - start;
      blocks[count++] = block / rounds / 2;
      spent += block;
      int more = count < kMaxBlocks && (count < 9 || spent < seconds);
      const int mine = more;
      MPI_Sendrecv_replace(&more, 1, MPI_INT, other, 3, other, 3, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE);
      if (is_first ? !mine : !more) break;
    }
    if (!is_first) continue;
    qsort(blocks, (size_t)count, sizeof blocks[0], Compare);
    fprintf(file, "%s time %d %.9e %.9e %.9e\n", pair, bytes, blocks[count / 2], blocks[count / 10],
            blocks[count - 1 - count / 10]);
  }
}

static void Overheads(FILE* file, const char* pair, int other, int is_first) {
  enum { kMessages = 16, kRepeats = 201 };
  double sends[kRepeats];
  double receives[kRepeats];
  for (int i = 0; i < kRepeats; ++i) {
    MPI_Request requests[kMessages];
    MPI_Sendrecv(buffer, 0, MPI_BYTE, other, 2, buffer, 0, MPI_BYTE, other, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (is_first) {
      const double start = MPI_Wtime();
      for (int j = 0; j < kMessages; ++j) {
        MPI_Isend(buffer, 8, MPI_BYTE, other, 4, MPI_COMM_WORLD, &requests[j]);
      }
      sends[i] = (MPI_Wtime() - start) / kMessages;
      MPI_Waitall(kMessages, requests, MPI_STATUSES_IGNORE);
      MPI_Recv(buffer, 8, MPI_BYTE, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(&receives[i], 1, MPI_DOUBLE, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      /* A message that comes after the others: now all have arrived. */
      MPI_Status status;
      MPI_Probe(other, 4, MPI_COMM_WORLD, &status);
      const double wait = MPI_Wtime() + 50e-6;
      while (MPI_Wtime() < wait) {
        int flag = 0;
        MPI_Iprobe(other, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      }
      const double start = MPI_Wtime();
      for (int j = 0; j < kMessages; ++j) {
        MPI_Recv(buffer, 8, MPI_BYTE, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      double mean = (MPI_Wtime() - start) / kMessages;
      MPI_Send(buffer, 8, MPI_BYTE, other, 5, MPI_COMM_WORLD);
      MPI_Send(&mean, 1, MPI_DOUBLE, other, 6, MPI_COMM_WORLD);
    }
  }
  if (!is_first) return;
  qsort(sends, kRepeats, sizeof sends[0], Compare);
  qsort(receives, kRepeats, sizeof receives[0], Compare);
  fprintf(file, "%s overhead %.9e %.9e\n", pair, sends[kRepeats / 2], receives[kRepeats / 2]);
}

/* The receiver posts its receive late: a send that returns before did not wait. */
static void Eager(FILE* file, const char* pair, int other, int is_first) {
  int low = 0;
  int high = kMaxBytes;
  while (high - low > 64) {
    const int bytes = low + (high - low) / 2;
    int eager = 0;
    /* The best of three: a busy machine can delay a send that does not wait. */
    for (int attempt = 0; attempt < 3; ++attempt) {
      MPI_Sendrecv(buffer, 0, MPI_BYTE, other, 2, buffer, 0, MPI_BYTE, other, 2, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      if (is_first) {
        const double start = MPI_Wtime();
        MPI_Send(buffer, bytes, MPI_BYTE, other, 8, MPI_COMM_WORLD);
        eager |= MPI_Wtime() - start < 0.015;
      } else {
        usleep(30000);
        MPI_Recv(buffer, bytes, MPI_BYTE, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
    int received = eager;
    MPI_Sendrecv_replace(&received, 1, MPI_INT, other, 3, other, 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    if (is_first ? eager : received) {
      low = bytes;
    } else {
      high = bytes;
    }
  }
  if (is_first) fprintf(file, "%s eager %d\n", pair, low);
}

/* A barrier in which nobody takes the cores of the others. */
static void Rest(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) usleep(1000);
  }
}

/* Two ranks compute on one core: for how long does one have it? */
static void TimeSlice(FILE* file, int other, int is_first) {
  enum { kMaxRuns = 1000 };
  /* Interrupts are shorter. */
  const double preempted = 200e-6;
  double runs[kMaxRuns];
  int count = 0;
  MPI_Sendrecv(buffer, 0, MPI_BYTE, other, 2, buffer, 0, MPI_BYTE, other, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  double now = MPI_Wtime();
  double start = now;
  for (const double end = now + 0.5; now < end && count < kMaxRuns;) {
    const double last = now;
    now = MPI_Wtime();
    if (now - last < preempted) continue;
    runs[count++] = last - start;
    start = now;
  }
  if (!is_first || count < 3) return;
  /* The first one began before. */
  qsort(runs + 1, (size_t)count - 1, sizeof runs[0], Compare);
  fprintf(file, "slice %.9e\n", runs[1 + (count - 1) / 2]);
}

static void Bind(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) perror("pingpong: cannot bind a rank to a core");
}

/* Fills `cores` with the affinity of this rank if it `is_near`, and returns the first core of rank
 * 0's. Returns -1 on all ranks if that of a near one cannot be read: cpu_set_t is too small for
 * kernels of more than 1,024 possible cores. */
static int FirstCore(cpu_set_t* cores, int is_near) {
  CPU_ZERO(cores);
  int known = 1;
  if (is_near && sched_getaffinity(0, sizeof *cores, cores) != 0) {
    perror("pingpong: cannot read the cores of a rank");
    known = 0;
  }
  int all_known = 0;
  MPI_Allreduce(&known, &all_known, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  int core = -1;
  for (int i = 0; all_known && core < 0 && i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, cores)) core = i;
  }
  MPI_Bcast(&core, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return core;
}

/* Messages between two ranks on one core, and the same while all others of the node wait there.
 * `is_here`: the ranks of rank 0's node. */
static void Shared(FILE* file, int other, const char* is_here, int size, double seconds) {
  const int is_one = rank == 0 || rank == other;
  const int partner = rank == 0 ? other : 0;
  cpu_set_t before;
  const int core = FirstCore(&before, is_here[rank]);
  if (core < 0) return;
  if (is_one) {
    Bind(core);
    Times(file, "shared", partner, rank == 0, seconds, kMaxBytes);
    TimeSlice(file, partner, rank == 0);
  }
  Rest();
  int here = 0;
  for (int i = 0; i < size; ++i) here += is_here[i];
  if (is_here[rank] && !is_one) {
    Bind(core);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (is_one && here > 2) {
    Times(file, "crowd", partner, rank == 0, seconds, 0);
    for (int i = 0; rank == 0 && i < size; ++i) {
      if (is_here[i] && i != 0 && i != other) MPI_Send(NULL, 0, MPI_BYTE, i, 10, MPI_COMM_WORLD);
    }
    if (rank == 0) fprintf(file, "crowded %d\n", here);
  }
  if (is_here[rank]) sched_setaffinity(0, sizeof before, &before);
  Rest();
}

static void Measure(FILE* file, const char* pair, int other, double seconds) {
  if (rank == 0 || rank == other) {
    const int partner = rank == 0 ? other : 0;
    Times(file, pair, partner, rank == 0, seconds, kMaxBytes);
    Overheads(file, pair, partner, rank == 0);
    Eager(file, pair, partner, rank == 0);
  }
  Rest();
}

static void Reduction(FILE* file) {
  enum { kCount = 65536, kRounds = 50 };
  double* a = calloc(kCount, sizeof *a);
  double* b = calloc(kCount, sizeof *b);
  if (a == NULL || b == NULL) return;
  const double start = MPI_Wtime();
  for (int i = 0; i < kRounds; ++i) MPI_Reduce_local(a, b, kCount, MPI_DOUBLE, MPI_SUM);
  const double time = MPI_Wtime() - start;
  if (time > 0) fprintf(file, "reduction %.9e\n", (double)kRounds * kCount * sizeof *a / time);
  free(a);
  free(b);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  FILE* file = NULL;
  int usable = argc == 3 && size >= 2;
  buffer = calloc(1, kMaxBytes);
  if (usable && rank == 0) file = fopen(argv[1], "w");
  if (buffer == NULL || (rank == 0 && file == NULL)) usable = 0;
  int all = 0;
  MPI_Allreduce(&usable, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all) {
    if (rank == 0) fprintf(stderr, "pingpong: needs FILE, SECONDS and two ranks or more\n");
    MPI_Finalize();
    return 1;
  }
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  char* names = calloc((size_t)size, sizeof name);
  if (names == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Allgather(name, sizeof name, MPI_BYTE, names, sizeof name, MPI_BYTE, MPI_COMM_WORLD);
  int nodes = 0;
  int near = -1;
  char* is_here = calloc((size_t)size, 1); /* the ranks of rank 0's node */
  long here = 0;
  if (is_here == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  int far = -1;
  for (int i = 0; i < size; ++i) {
    const char* one = names + (size_t)i * sizeof name;
    int known = 0;
    for (int j = 0; j < i; ++j) known |= strcmp(one, names + (size_t)j * sizeof name) == 0;
    nodes += !known;
    is_here[i] = strcmp(one, names) == 0;
    here += is_here[i];
    if (i > 0 && near < 0 && strcmp(one, names) == 0) near = i;
    if (far < 0 && strcmp(one, names) != 0) far = i;
  }
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  MPI_Bcast(&cores, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (rank == 0) fprintf(file, "ranks %d nodes %d cores %ld\n", size, nodes, cores);
  const double seconds = atof(argv[2]);
  if (far > 0) Measure(file, "between", far, seconds);
  if (near > 0) Measure(file, "within", near, seconds);
  if (near > 0 && here > cores) Shared(file, near, is_here, size, seconds);
  if (rank == 0) {
    Reduction(file);
    fprintf(file, "end\n");
    if (fclose(file) != 0) perror("pingpong");
  }
  free(is_here);
  free(names);
  free(buffer);
  MPI_Finalize();
  return 0;
}
