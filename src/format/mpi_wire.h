/* mpi_wire.h: the calls of one MPI process, the computation between them and its OpenMP regions.
 *
 * Plain C, included by the PMPI library inside the program and by tare. Layout of a file:
 *
 *   header (TARE_MPI_HEADER_BYTES) | chunk | chunk | ... | end chunk
 *
 * The file is written through a shared mapping, so that everything up to the last complete record
 * is readable however the process ends. A chunk is open while it is being filled: `bytes` grows
 * after each record. A closed chunk has a checksum that continues that of the preceding chunk. Zero
 * bytes may follow the last chunk of a process that did not end cleanly.
 *
 * Records are a code byte and LEB128 numbers; "signed" numbers are zigzag encoded. Ranks are those
 * of MPI_COMM_WORLD unless stated otherwise. docs/formats/mpi-trace.md documents the format. */
#pragma once

#include <stdint.h>

#define TARE_MPI_MAGIC UINT64_C(0x3169706d65726174) /* the bytes "tarempi1" */
/* Version 1 has no OpenMP records; it is read, too. */
#define TARE_MPI_VERSION 3u
#define TARE_MPI_HEADER_BYTES 4096u
/* A chunk is closed when it has this many bytes. A record never crosses the end of its chunk, so a
 * chunk with a large record is larger. */
#define TARE_MPI_CHUNK_BYTES 65536u
#define TARE_MPI_RECORD_BYTES (4u << 20)

/* The environment of the processes. */
#define TARE_MPI_DIRECTORY_VARIABLE "TARE_MPI_DIRECTORY" /* where files are created */
#define TARE_MPI_RUN_VARIABLE "TARE_MPI_RUN"             /* the run, as 16 hexadecimal digits */

/* The file of rank 3 is "rank-3.mpi". A directory can hold several MPI jobs (mpirun was started
 * more than once); the files of job 2 are "job-2-rank-3.mpi". */
#define TARE_MPI_FILE_SUFFIX ".mpi"

enum tare_mpi_state {
  TARE_MPI_RUNNING = 0,   /* running, or ended without notice (a signal, _exit) */
  TARE_MPI_FINALIZED = 1, /* MPI_Finalize returned */
  TARE_MPI_EXITED = 2,    /* exit or return from main without MPI_Finalize */
  TARE_MPI_ABORTED = 3    /* MPI_Abort was called */
};

struct tare_mpi_header {
  uint64_t magic;
  uint32_t version;
  uint32_t architecture; /* e_machine of ELF */
  uint32_t rank;
  uint32_t size; /* of MPI_COMM_WORLD */
  uint64_t run;  /* from the environment; 0: none */
  uint64_t job;  /* the same in all processes of one MPI_COMM_WORLD */
  uint32_t job_number;
  uint32_t thread_level; /* MPI_THREAD_SINGLE .. MPI_THREAD_MULTIPLE as 0 .. 3 */
  uint64_t process;
  uint64_t start_ns;     /* CLOCK_MONOTONIC when MPI_Init was called; times count from 0 there */
  uint64_t start_utc_ns; /* CLOCK_REALTIME at the same moment */
  uint64_t started_ns;   /* CLOCK_MONOTONIC when the process was started; 0: unknown */
  uint64_t flags;        /* TARE_MPI_HEADER_... */
  uint64_t reserved[8];
  char boot[40];      /* the kernel's boot_id: processes with the same one share a clock */
  char host[256];     /* zero-terminated, as the following */
  char library[256];  /* MPI_Get_library_version, the first line */
  char build_id[80];  /* of the program, hexadecimal; empty: none */
  char program[1024]; /* path */
  uint64_t checksum;  /* CRC-32 of all preceding members */

  /* What follows changes while the process runs and is not covered by the checksum. */
  uint32_t state;       /* tare_mpi_state */
  uint32_t openmp;      /* tare_mpi_openmp */
  uint64_t lost;        /* events that could not be written */
  uint64_t lost_reason; /* errno of the first */
  /* The call in progress, if any (of the thread that called last). */
  uint32_t call; /* tare_mpi_function plus 1; 0: none */
  uint32_t call_communicator;
  int32_t call_peer; /* or the root */
  int32_t call_tag;
  uint64_t call_start_ns;
};
/* The process does not use MPI: the file has OpenMP records only, and times count from its start.
 */
#define TARE_MPI_HEADER_NO_MPI UINT64_C(1)

/* What the OpenMP runtime of the process reports. */
enum tare_mpi_openmp {
  TARE_MPI_OPENMP_NONE = 0,    /* there is none, or it was not used */
  TARE_MPI_OPENMP_OMPT = 1,    /* its regions, in this file */
  TARE_MPI_OPENMP_LIBGOMP = 2, /* nothing: GCC's libgomp is loaded, which has no OMPT */
  TARE_MPI_OPENMP_DISABLED = 3 /* nothing: OMP_TOOL=disabled */
};

/* "chnk" and "open"; anything else ends the file. */
#define TARE_MPI_CHUNK_CLOSED UINT32_C(0x6b6e6863)
#define TARE_MPI_CHUNK_OPEN UINT32_C(0x6e65706f)
#define TARE_MPI_CHUNK_END UINT32_C(0x21646e65) /* "end!": no records; the file is complete */

/* The next chunk begins at the next multiple of 8 after `bytes` bytes of records. */
struct tare_mpi_chunk {
  uint32_t kind;
  uint32_t number;   /* from 0 */
  uint32_t bytes;    /* of records */
  uint32_t records;  /* 0 while the chunk is open */
  uint64_t start_ns; /* the first `start` in the chunk is relative to this */
  uint32_t reserved;
  uint32_t checksum; /* CRC-32 of the preceding members and the records, continued from the
                      * checksum of the preceding chunk (0 before the first) */
};

/* What a call does, for those who need not know the function. */
enum tare_mpi_operation {
  TARE_MPI_OTHER = 0, /* no communication that the trace describes; still not computation */
  TARE_MPI_INIT,
  TARE_MPI_FINALIZE,
  TARE_MPI_ABORT,
  TARE_MPI_SEND, /* with a request: nonblocking; likewise all of the following */
  TARE_MPI_RECV,
  TARE_MPI_SENDRECV,
  TARE_MPI_PROBE,   /* successful: peer, tag and bytes of the message */
  TARE_MPI_WAIT,    /* completions */
  TARE_MPI_POLL,    /* one or more tests or probes without success */
  TARE_MPI_REQUEST, /* a request is cancelled or freed: completions */
  TARE_MPI_BARRIER, /* the collectives: all members of the communicator call it */
  TARE_MPI_BCAST,
  TARE_MPI_GATHER,
  TARE_MPI_GATHERV,
  TARE_MPI_SCATTER,
  TARE_MPI_SCATTERV,
  TARE_MPI_ALLGATHER,
  TARE_MPI_ALLGATHERV,
  TARE_MPI_ALLTOALL,
  TARE_MPI_ALLTOALLV,
  TARE_MPI_REDUCE,
  TARE_MPI_ALLREDUCE,
  TARE_MPI_REDUCE_SCATTER,
  TARE_MPI_SCAN,
  TARE_MPI_EXSCAN,
  TARE_MPI_NEIGHBOR_ALLGATHER,
  TARE_MPI_NEIGHBOR_ALLTOALL,
  TARE_MPI_COMMUNICATOR, /* collective; creates a communicator */
  TARE_MPI_COMM_FREE,    /* collective, need not synchronize */
  TARE_MPI_WIN_CREATE,   /* collective */
  TARE_MPI_WIN_FREE,     /* collective */
  TARE_MPI_FENCE,        /* collective; the last of the collectives */
  TARE_MPI_PUT,          /* one-sided: peer is the target */
  TARE_MPI_GET,
  TARE_MPI_ACCUMULATE, /* bytes are sent; bytes received, if the old value is fetched */
  TARE_MPI_LOCK,
  TARE_MPI_UNLOCK,
  TARE_MPI_FLUSH,
  TARE_MPI_POST, /* PSCW; the list has the ranks of the group */
  TARE_MPI_START,
  TARE_MPI_COMPLETE,
  TARE_MPI_WIN_WAIT,
  TARE_MPI_IO, /* bytes to or from a file */
  TARE_MPI_OPERATIONS
};

/* X(function, operation): every recorded function. Codes in files are positions in this list, so
 * new functions go to its end. */
/* clang-format off */
#define TARE_MPI_FUNCTIONS(X) \
  X(Init, INIT) X(Init_thread, INIT) X(Finalize, FINALIZE) X(Abort, ABORT) X(Send, SEND) \
  X(Bsend, SEND) X(Ssend, SEND) X(Rsend, SEND) X(Isend, SEND) X(Ibsend, SEND) X(Issend, SEND) \
  X(Irsend, SEND) X(Recv, RECV) X(Irecv, RECV) X(Mrecv, RECV) X(Imrecv, RECV) \
  X(Sendrecv, SENDRECV) X(Sendrecv_replace, SENDRECV) X(Probe, PROBE) X(Iprobe, PROBE) \
  X(Mprobe, PROBE) X(Improbe, PROBE) X(Wait, WAIT) X(Waitall, WAIT) X(Waitany, WAIT) \
  X(Waitsome, WAIT) X(Test, WAIT) X(Testall, WAIT) X(Testany, WAIT) X(Testsome, WAIT) \
  X(Poll, POLL) X(Request_free, REQUEST) X(Cancel, REQUEST) X(Request_get_status, OTHER) \
  X(Send_init, OTHER) X(Bsend_init, OTHER) X(Ssend_init, OTHER) X(Rsend_init, OTHER) \
  X(Recv_init, OTHER) X(Start_send, SEND) X(Start_bsend, SEND) X(Start_ssend, SEND) \
  X(Start_rsend, SEND) X(Start_recv, RECV) X(Barrier, BARRIER) X(Ibarrier, BARRIER) \
  X(Bcast, BCAST) X(Ibcast, BCAST) X(Gather, GATHER) X(Igather, GATHER) X(Gatherv, GATHERV) \
  X(Igatherv, GATHERV) X(Scatter, SCATTER) X(Iscatter, SCATTER) X(Scatterv, SCATTERV) \
  X(Iscatterv, SCATTERV) X(Allgather, ALLGATHER) X(Iallgather, ALLGATHER) \
  X(Allgatherv, ALLGATHERV) X(Iallgatherv, ALLGATHERV) X(Alltoall, ALLTOALL) \
  X(Ialltoall, ALLTOALL) X(Alltoallv, ALLTOALLV) X(Ialltoallv, ALLTOALLV) \
  X(Alltoallw, ALLTOALLV) X(Ialltoallw, ALLTOALLV) X(Reduce, REDUCE) X(Ireduce, REDUCE) \
  X(Allreduce, ALLREDUCE) X(Iallreduce, ALLREDUCE) X(Reduce_scatter, REDUCE_SCATTER) \
  X(Ireduce_scatter, REDUCE_SCATTER) X(Reduce_scatter_block, REDUCE_SCATTER) \
  X(Ireduce_scatter_block, REDUCE_SCATTER) X(Scan, SCAN) X(Iscan, SCAN) X(Exscan, EXSCAN) \
  X(Iexscan, EXSCAN) X(Neighbor_allgather, NEIGHBOR_ALLGATHER) \
  X(Neighbor_allgatherv, NEIGHBOR_ALLGATHER) X(Ineighbor_allgather, NEIGHBOR_ALLGATHER) \
  X(Ineighbor_allgatherv, NEIGHBOR_ALLGATHER) X(Neighbor_alltoall, NEIGHBOR_ALLTOALL) \
  X(Neighbor_alltoallv, NEIGHBOR_ALLTOALL) X(Neighbor_alltoallw, NEIGHBOR_ALLTOALL) \
  X(Ineighbor_alltoall, NEIGHBOR_ALLTOALL) X(Ineighbor_alltoallv, NEIGHBOR_ALLTOALL) \
  X(Ineighbor_alltoallw, NEIGHBOR_ALLTOALL) X(Comm_split, COMMUNICATOR) \
  X(Comm_split_type, COMMUNICATOR) X(Comm_dup, COMMUNICATOR) X(Comm_dup_with_info, COMMUNICATOR) \
  X(Comm_idup, COMMUNICATOR) X(Comm_create, COMMUNICATOR) X(Comm_create_group, COMMUNICATOR) \
  X(Cart_create, COMMUNICATOR) X(Cart_sub, COMMUNICATOR) X(Graph_create, COMMUNICATOR) \
  X(Dist_graph_create, COMMUNICATOR) X(Dist_graph_create_adjacent, COMMUNICATOR) \
  X(Intercomm_create, COMMUNICATOR) X(Intercomm_merge, COMMUNICATOR) X(Comm_spawn, COMMUNICATOR) \
  X(Comm_spawn_multiple, COMMUNICATOR) X(Comm_accept, COMMUNICATOR) \
  X(Comm_connect, COMMUNICATOR) X(Comm_free, COMM_FREE) X(Comm_disconnect, COMM_FREE) \
  X(Win_create, WIN_CREATE) X(Win_allocate, WIN_CREATE) X(Win_allocate_shared, WIN_CREATE) \
  X(Win_create_dynamic, WIN_CREATE) X(Win_free, WIN_FREE) X(Win_fence, FENCE) X(Put, PUT) \
  X(Rput, PUT) X(Get, GET) X(Rget, GET) X(Accumulate, ACCUMULATE) X(Raccumulate, ACCUMULATE) \
  X(Get_accumulate, ACCUMULATE) X(Rget_accumulate, ACCUMULATE) X(Fetch_and_op, ACCUMULATE) \
  X(Compare_and_swap, ACCUMULATE) X(Win_lock, LOCK) X(Win_lock_all, LOCK) X(Win_unlock, UNLOCK) \
  X(Win_unlock_all, UNLOCK) X(Win_flush, FLUSH) X(Win_flush_all, FLUSH) \
  X(Win_flush_local, FLUSH) X(Win_flush_local_all, FLUSH) X(Win_post, POST) X(Win_start, START) \
  X(Win_complete, COMPLETE) X(Win_wait, WIN_WAIT) X(Win_test, WIN_WAIT) X(File_open, IO) \
  X(File_close, IO) X(File_set_view, IO) X(File_set_size, IO) X(File_sync, IO) X(File_read, IO) \
  X(File_read_at, IO) X(File_read_all, IO) X(File_read_at_all, IO) X(File_write, IO) \
  X(File_write_at, IO) X(File_write_all, IO) X(File_write_at_all, IO) X(Win_sync, OTHER)
/* clang-format on */

enum tare_mpi_function {
#define TARE_MPI_ENUMERATOR(name, operation) TARE_MPI_F_##name,
  TARE_MPI_FUNCTIONS(TARE_MPI_ENUMERATOR)
#undef TARE_MPI_ENUMERATOR
      TARE_MPI_FUNCTION_COUNT
};

/* An event: code byte (tare_mpi_function), fields (which of the following are present), start
 * (signed, relative to the end of the event before), duration, then the fields in the order of
 * their bits. Absent numbers are 0, absent ranks TARE_MPI_NO_RANK. */
/* CPU time of the burst: since the thread's event before, without the cost of recording. */
#define TARE_MPI_CPU (1u << 0)
#define TARE_MPI_COMM (1u << 1)     /* number of the communicator; absent: MPI_COMM_WORLD */
#define TARE_MPI_PEER (1u << 2)     /* signed: destination, actual source, target */
#define TARE_MPI_TAG (1u << 3)      /* signed */
#define TARE_MPI_SENT (1u << 4)     /* bytes sent; for a receive: bytes of its buffer */
#define TARE_MPI_RECEIVED (1u << 5) /* bytes received */
#define TARE_MPI_SOURCE (1u << 6)   /* signed: source of the receiving half of a Sendrecv */
#define TARE_MPI_RECV_TAG (1u << 7) /* signed: its tag */
/* Number of the request, from 1, in order of creation. */
#define TARE_MPI_NEW_REQUEST (1u << 8)
#define TARE_MPI_ROOT (1u << 9) /* signed */
/* Number of completions; each: request (signed, relative to the one before plus 1), kind; if the
 * kind is 1, a receive: source (signed), tag (signed), bytes; kind 2: cancelled. */
#define TARE_MPI_COMPLETIONS (1u << 10)
/* Number of values, then runs: length, value. They are the bytes sent to each member (Alltoallv,
 * Alltoallw, neighbors), the bytes received by each member (Reduce_scatter), or ranks of a group.
 */
#define TARE_MPI_LIST (1u << 11)
#define TARE_MPI_ANY_SOURCE (1u << 12) /* no number: posted with MPI_ANY_SOURCE */
#define TARE_MPI_ANY_TAG (1u << 13)    /* no number */
#define TARE_MPI_ERROR (1u << 14)      /* the error code that the call returned */
#define TARE_MPI_COUNT (1u << 15)      /* number of merged polls */
/* Number of the communicator that the call created, defined before this event. */
#define TARE_MPI_NEW_COMM (1u << 16)
/* Number of deltas; each: slot (relative to the one before), increase since the thread's last event
 * that has this field. */
#define TARE_MPI_COUNTERS (1u << 17)
#define TARE_MPI_FIELDS ((1u << 18) - 1)

#define TARE_MPI_NO_RANK (-1)   /* none, or a process outside MPI_COMM_WORLD */
#define TARE_MPI_NULL_RANK (-2) /* MPI_PROC_NULL */
#define TARE_MPI_NO_CORE (-1)   /* unknown */

/* Other codes. */
#define TARE_MPI_DEFINE_COMM 240u /* see tare_mpi_comm_kind */
#define TARE_MPI_THREAD 241u      /* number of the thread of the following events, from 0 */
#define TARE_MPI_MODULE 242u      /* counters of a module: first slot, slots, bytes of path, path */

/* OpenMP events of one thread, in their order: number of the thread, time of the thread's event
 * before (ns since MPI_Init, signed), number of events, then the events. An event: a byte
 * (tare_openmp_event), ns since the event before, ns thereof that were not CPU time of the thread,
 * and numbers that depend on the event. */
#define TARE_MPI_OPENMP_BLOCK 243u
/* A place in the code that regions refer to: its number (from 1, one after the other), address in
 * the file, bytes of path, path. No path: the program itself. */
#define TARE_MPI_OPENMP_PLACE 244u
#define TARE_MPI_CORE 245u /* on which processor the following calls returned */

enum tare_openmp_event {
  TARE_OPENMP_FORK = 0,    /* number of the parallel region in this process, from 1; place or 0 */
  TARE_OPENMP_JOIN = 1,    /* number of the region */
  TARE_OPENMP_BEGIN = 2,   /* a member of the team begins: region, its index, threads of the team */
  TARE_OPENMP_END = 3,     /* a member ends, possibly long after the region (libomp) */
  TARE_OPENMP_ARRIVE = 4,  /* the thread begins to wait: tare_openmp_wait */
  TARE_OPENMP_RELEASE = 5, /* and continues */
  TARE_OPENMP_TASK = 6,    /* while waiting, it begins or resumes an explicit task */
  TARE_OPENMP_RESUME = 7,  /* it waits again */
  TARE_OPENMP_EVENTS
};

enum tare_openmp_wait {
  TARE_OPENMP_EXPLICIT = 0, /* barrier */
  TARE_OPENMP_IMPLICIT = 1, /* barrier at the end of a loop, single, sections or region */
  TARE_OPENMP_TASKWAIT = 2,
  TARE_OPENMP_TASKGROUP = 3,
  TARE_OPENMP_OTHER = 4, /* of the runtime itself */
  TARE_OPENMP_WAITS
};

#define TARE_MPI_WORLD 0u
#define TARE_MPI_SELF 1u

/* A communicator: number, kind, parent (its number plus 1; 0: none), members: number of runs, each
 * first rank (signed), stride (signed), length; for INTER the members of the other group likewise;
 * for TOPOLOGY sources and then destinations likewise. A communicator is known by its number in one
 * process only. Those of several processes are the same if their members and parents are the same
 * and they are the n-th of their parent. */
enum tare_mpi_comm_kind {
  TARE_MPI_COMM_INTRA = 0,
  TARE_MPI_COMM_INTER = 1,
  TARE_MPI_COMM_TOPOLOGY = 2,
  TARE_MPI_COMM_WINDOW = 3,
  TARE_MPI_COMM_GROUP = 4 /* MPI_Comm_create_group: only the members made it */
};
