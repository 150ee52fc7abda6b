/* trace_file.c: keeps the file of this process open without keeping a descriptor.
 *
 * The file is opened by name each time it grows and closed again, because a program may close all
 * descriptors and reuse their numbers. Its blocks are allocated before they are mapped, so that a
 * full disk ends the recording and never the program. */
#include "trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"

#define WINDOW_BYTES (UINT64_C(1) << 20)
#define MAX_JOBS 10000u

static struct {
  int on;
  char path[PATH_MAX];
  dev_t device;
  ino_t inode;
  struct tare_mpi_header* header;
  unsigned char* window;
  uint64_t window_at; /* its place in the file */
  uint64_t window_bytes;
  uint64_t chunk_at; /* the open chunk's place in the file */
  struct tare_mpi_chunk* chunk;
  uint32_t chunk_number;
  uint32_t chunk_records;
  uint32_t chunk_room; /* for records, in the window */
  uint32_t checksum;
} trace;

struct tare_mpi_header* tare_file_header(void) { return trace.header; }

int tare_file_is_on(void) { return __atomic_load_n(&trace.on, __ATOMIC_RELAXED); }

static void set_on(int on) { __atomic_store_n(&trace.on, on, __ATOMIC_RELAXED); }

void tare_file_forget(void) {
  set_on(0);
  trace.header = NULL;
}

void tare_file_lose(int error) {
  if (trace.header == NULL) return;
  if (trace.header->lost++ == 0) trace.header->lost_reason = (uint64_t)error;
}

static int file_name(char* path, const char* directory, uint32_t job, uint32_t rank) {
  const int length =
      job == 1 ? snprintf(path, PATH_MAX, "%s/rank-%u" TARE_MPI_FILE_SUFFIX, directory, rank)
               : snprintf(path, PATH_MAX, "%s/job-%u-rank-%u" TARE_MPI_FILE_SUFFIX, directory, job,
                          rank);
  return length > 0 && length < PATH_MAX;
}

/* Makes the bytes up to `end` exist. A file limit would end the program by SIGXFSZ. */
static int allocate(int file, uint64_t end) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      end > limit.rlim_cur) {
    return EFBIG;
  }
  /* A signal interrupts it; a stop does so even if all are blocked. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int error = EINTR;
  for (int tries = 0; tries < 100 && error == EINTR; ++tries) {
    error = posix_fallocate(file, 0, (off_t)end);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

static int open_again(void) {
  const int file = open(trace.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  struct stat status;
  if (file < 0) return -1;
  if (fstat(file, &status) == 0 && status.st_dev == trace.device && status.st_ino == trace.inode) {
    return file;
  }
  close(file);
  errno = ESTALE;
  return -1;
}

/* Maps the file from `at` on, `bytes` or more. */
static int map_window(uint64_t at, uint64_t bytes) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t first = at / page * page;
  const int file = open_again();
  if (file < 0) return errno;
  uint64_t length = 0;
  int error = ENOSPC;
  /* A nearly full disk may still have room for one chunk. */
  for (int attempt = 0; attempt < 2 && error != 0; ++attempt) {
    const uint64_t wanted = attempt == 0 && bytes < WINDOW_BYTES ? WINDOW_BYTES : bytes;
    length = (at - first + wanted + page - 1) / page * page;
    error = allocate(file, first + length);
  }
  void* window = MAP_FAILED;
  int map_error = error;
  if (error == 0) {
    window = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)first);
    map_error = window == MAP_FAILED ? errno : 0;
  }
  close(file);
  if (map_error != 0) return map_error;
  if (trace.window != NULL) munmap(trace.window, trace.window_bytes);
  trace.window = window;
  trace.window_at = first;
  trace.window_bytes = length;
  return 0;
}

/* Opens a chunk at chunk_at with room for `bytes` of records. */
static int open_chunk(uint64_t bytes, uint64_t start_ns) {
  const uint64_t wanted = sizeof(struct tare_mpi_chunk) + bytes;
  if (trace.window == NULL || trace.chunk_at + wanted > trace.window_at + trace.window_bytes) {
    const int error = map_window(trace.chunk_at, wanted);
    if (error != 0) return error;
  }
  trace.chunk = (struct tare_mpi_chunk*)(trace.window + (trace.chunk_at - trace.window_at));
  trace.chunk_room = (uint32_t)bytes;
  trace.chunk_records = 0;
  struct tare_mpi_chunk* chunk = trace.chunk;
  chunk->number = trace.chunk_number;
  chunk->bytes = 0;
  chunk->records = 0;
  chunk->start_ns = start_ns;
  chunk->reserved = 0;
  chunk->checksum = 0;
  __atomic_store_n(&chunk->kind, TARE_MPI_CHUNK_OPEN, __ATOMIC_RELEASE);
  return 0;
}

static void close_chunk(uint32_t kind) {
  struct tare_mpi_chunk* chunk = trace.chunk;
  struct tare_mpi_chunk final = *chunk;
  final.kind = kind;
  final.records = trace.chunk_records;
  uint32_t checksum = tare_crc32(trace.checksum, &final, offsetof(struct tare_mpi_chunk, checksum));
  checksum = tare_crc32(checksum, chunk + 1, final.bytes);
  chunk->records = final.records;
  chunk->checksum = checksum;
  __atomic_store_n(&chunk->kind, kind, __ATOMIC_RELEASE);
  trace.checksum = checksum;
  trace.chunk_number++;
  trace.chunk_at += sizeof(struct tare_mpi_chunk) + ((final.bytes + 7) & ~UINT32_C(7));
  trace.chunk = NULL;
}

unsigned char* tare_file_reserve(uint64_t bytes, uint64_t start_ns, int* is_new) {
  *is_new = 0;
  if (trace.chunk != NULL && trace.chunk->bytes + bytes <= trace.chunk_room) {
    return (unsigned char*)(trace.chunk + 1) + trace.chunk->bytes;
  }
  if (trace.chunk != NULL) close_chunk(TARE_MPI_CHUNK_CLOSED);
  *is_new = 1;
  const int error =
      open_chunk(bytes > TARE_MPI_CHUNK_BYTES ? bytes : (uint64_t)TARE_MPI_CHUNK_BYTES, start_ns);
  if (error != 0) {
    /* What was written stays readable; nothing follows. */
    tare_file_lose(error);
    set_on(0);
    return NULL;
  }
  return (unsigned char*)(trace.chunk + 1);
}

void tare_file_commit(const unsigned char* end, uint32_t records) {
  struct tare_mpi_chunk* chunk = trace.chunk;
  trace.chunk_records += records;
  __atomic_store_n(&chunk->bytes, (uint32_t)(end - (const unsigned char*)(chunk + 1)),
                   __ATOMIC_RELEASE);
}

uint32_t tare_file_claim(void) {
  const char* directory = getenv(TARE_MPI_DIRECTORY_VARIABLE);
  char path[PATH_MAX];
  if (directory == NULL || directory[0] != '/') return 0;
  for (uint32_t job = 1; job <= MAX_JOBS; ++job) {
    if (!file_name(path, directory, job, 0)) return 0;
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return job;
    }
    if (errno != EEXIST) return 0;
  }
  return 0;
}

int tare_file_open(uint32_t job_number, uint32_t rank,
                   void (*describe)(struct tare_mpi_header* header, const void* argument),
                   const void* argument) {
  const char* directory = getenv(TARE_MPI_DIRECTORY_VARIABLE);
  if (trace.header != NULL || job_number == 0 || directory == NULL ||
      !file_name(trace.path, directory, job_number, rank)) {
    return 0;
  }
  /* Rank 0 has created its file already; others must not find one. */
  const int file =
      open(trace.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (rank == 0 ? 0 : O_CREAT | O_EXCL), 0666);
  if (file < 0) return 0;
  struct stat status;
  void* header = MAP_FAILED;
  if (fstat(file, &status) == 0 && allocate(file, TARE_MPI_HEADER_BYTES) == 0) {
    header = mmap(NULL, TARE_MPI_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (header == MAP_FAILED) return 0;
  trace.device = status.st_dev;
  trace.inode = status.st_ino;
  if (trace.window != NULL) munmap(trace.window, trace.window_bytes);
  trace.window = NULL;
  trace.chunk = NULL;
  trace.chunk_at = TARE_MPI_HEADER_BYTES;
  trace.chunk_number = 0;
  trace.checksum = 0;
  describe(header, argument);
  trace.header = header;
  set_on(1);
  return 1;
}

void tare_file_seal(enum tare_mpi_state state, uint64_t start_ns) {
  if (trace.header == NULL) return;
  if (trace.on) {
    if (trace.chunk != NULL) close_chunk(TARE_MPI_CHUNK_CLOSED);
    const int error = open_chunk(0, start_ns);
    if (error == 0) {
      close_chunk(TARE_MPI_CHUNK_END);
      const int file = open_again();
      if (file >= 0) {
        if (ftruncate(file, (off_t)trace.chunk_at) != 0) tare_file_lose(errno);
        close(file);
      }
    } else {
      tare_file_lose(error);
    }
  }
  set_on(0);
  trace.header->state = state;
  trace.header->call = 0;
  trace.header = NULL;
}
