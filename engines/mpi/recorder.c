/* recorder.c: encodes events into chunks of a shared mapping of the rank's file.
 *
 * The file is opened by name each time it grows and closed again, because a program may close all
 * descriptors and reuse their numbers. Its blocks are allocated before they are mapped, so that a
 * full disk ends the recording and never the program. */
#include "recorder.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "checksum.h"

#if defined(__x86_64__)
#define TARE_ARCHITECTURE EM_X86_64
#elif defined(__aarch64__)
#define TARE_ARCHITECTURE EM_AARCH64
#else
#error "unknown architecture"
#endif

/* Reading the thread's CPU time is a system call of about 0.3 us. Intervals shorter than this are
 * taken to be CPU time as a whole, and it is read at least once per EXACT_NS. */
#define SHORT_NS UINT64_C(10000)
#define EXACT_NS UINT64_C(1000000)
/* Polls that follow each other sooner are merged. */
#define POLL_GAP_NS UINT64_C(5000)
#define WINDOW_BYTES (UINT64_C(1) << 20)
#define MAX_JOBS 10000u
/* Code, thread and the numbers of an event without its lists. */
#define FIXED_BYTES 256u
#define COMPLETION_BYTES 40u
#define COMPLETIONS_PER_EVENT 50000u

/* What happens between calls, per thread. Initial-exec: a preloaded library has room for it. */
static __thread struct {
  int depth;           /* of wrappers */
  uint32_t number;     /* plus 1 */
  uint64_t resumed_ns; /* when the program continued after the event before */
  uint64_t resumed_cpu_ns;
  uint64_t exact_ns;   /* when the CPU time was read last */
  uint64_t started_ns; /* when the call was made */
  uint64_t started_cpu_ns;
} thread __attribute__((tls_model("initial-exec")));

static struct {
  int on;
  int locked; /* several threads may record at the same time */
  uint32_t threads;
  uint64_t loaded_ns; /* when this library was loaded */
  uint64_t init_ns;   /* times count from here */
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
  uint64_t previous_end_ns;
  uint32_t previous_thread;

  int has_poll;
  uint32_t poll_thread;
  struct tare_event poll;
} recorder;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t tare_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t thread_cpu(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

__attribute__((constructor)) static void loaded(void) { recorder.loaded_ns = tare_now(); }

/* --- the file --- */

static void lose(int error) {
  if (recorder.header == NULL) return;
  if (recorder.header->lost++ == 0) recorder.header->lost_reason = (uint64_t)error;
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
  return posix_fallocate(file, 0, (off_t)end);
}

static int open_again(void) {
  const int file = open(recorder.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  struct stat status;
  if (file < 0) return -1;
  if (fstat(file, &status) == 0 && status.st_dev == recorder.device &&
      status.st_ino == recorder.inode) {
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
  uint64_t length = at - first + (bytes > WINDOW_BYTES ? bytes : WINDOW_BYTES);
  length = (length + page - 1) / page * page;
  const int file = open_again();
  if (file < 0) return errno;
  const int error = allocate(file, first + length);
  void* window = MAP_FAILED;
  int map_error = error;
  if (error == 0) {
    window = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)first);
    map_error = window == MAP_FAILED ? errno : 0;
  }
  close(file);
  if (map_error != 0) return map_error;
  if (recorder.window != NULL) munmap(recorder.window, recorder.window_bytes);
  recorder.window = window;
  recorder.window_at = first;
  recorder.window_bytes = length;
  return 0;
}

/* Opens a chunk at chunk_at with room for `bytes` of records. */
static int open_chunk(uint64_t bytes) {
  const uint64_t wanted = sizeof(struct tare_mpi_chunk) + bytes;
  if (recorder.window == NULL ||
      recorder.chunk_at + wanted > recorder.window_at + recorder.window_bytes) {
    const int error = map_window(recorder.chunk_at, wanted);
    if (error != 0) return error;
  }
  recorder.chunk =
      (struct tare_mpi_chunk*)(recorder.window + (recorder.chunk_at - recorder.window_at));
  recorder.chunk_room = (uint32_t)bytes;
  recorder.chunk_records = 0;
  recorder.previous_thread = UINT32_MAX;
  struct tare_mpi_chunk* chunk = recorder.chunk;
  chunk->number = recorder.chunk_number;
  chunk->bytes = 0;
  chunk->records = 0;
  chunk->start_ns = recorder.previous_end_ns;
  chunk->reserved = 0;
  chunk->checksum = 0;
  __atomic_store_n(&chunk->kind, TARE_MPI_CHUNK_OPEN, __ATOMIC_RELEASE);
  return 0;
}

static void close_chunk(uint32_t kind) {
  struct tare_mpi_chunk* chunk = recorder.chunk;
  struct tare_mpi_chunk final = *chunk;
  final.kind = kind;
  final.records = recorder.chunk_records;
  uint32_t checksum =
      tare_crc32(recorder.checksum, &final, offsetof(struct tare_mpi_chunk, checksum));
  checksum = tare_crc32(checksum, chunk + 1, final.bytes);
  chunk->records = final.records;
  chunk->checksum = checksum;
  __atomic_store_n(&chunk->kind, kind, __ATOMIC_RELEASE);
  recorder.checksum = checksum;
  recorder.chunk_number++;
  recorder.chunk_at += sizeof(struct tare_mpi_chunk) + ((final.bytes + 7) & ~UINT32_C(7));
  recorder.chunk = NULL;
}

/* Returns where a record of up to `bytes` bytes may be written, or null. */
static unsigned char* reserve(uint64_t bytes) {
  if (recorder.chunk != NULL && recorder.chunk->bytes + bytes <= recorder.chunk_room) {
    return (unsigned char*)(recorder.chunk + 1) + recorder.chunk->bytes;
  }
  if (recorder.chunk != NULL) close_chunk(TARE_MPI_CHUNK_CLOSED);
  const int error =
      open_chunk(bytes > TARE_MPI_CHUNK_BYTES ? bytes : (uint64_t)TARE_MPI_CHUNK_BYTES);
  if (error != 0) {
    /* What was written stays readable; nothing follows. */
    lose(error);
    recorder.on = 0;
    return NULL;
  }
  return (unsigned char*)(recorder.chunk + 1);
}

static void commit(const unsigned char* end) {
  struct tare_mpi_chunk* chunk = recorder.chunk;
  recorder.chunk_records++;
  __atomic_store_n(&chunk->bytes, (uint32_t)(end - (const unsigned char*)(chunk + 1)),
                   __ATOMIC_RELEASE);
}

/* --- records --- */

static inline unsigned char* put(unsigned char* to, uint64_t value) {
  while (value >= 0x80) {
    *to++ = (unsigned char)(value | 0x80);
    value >>= 7;
  }
  *to++ = (unsigned char)value;
  return to;
}

static inline unsigned char* put_signed(unsigned char* to, int64_t value) {
  return put(to, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

static uint32_t count_runs(const uint64_t* values, uint32_t count) {
  uint32_t runs = 0;
  for (uint32_t i = 0; i < count; ++i) runs += i == 0 || values[i] != values[i - 1];
  return runs;
}

static unsigned char* put_list(unsigned char* to, const uint64_t* values, uint32_t count) {
  to = put(to, count);
  for (uint32_t i = 0; i < count;) {
    uint32_t next = i + 1;
    while (next < count && values[next] == values[i]) ++next;
    to = put(to, next - i);
    to = put(to, values[i]);
    i = next;
  }
  return to;
}

static unsigned char* put_completions(unsigned char* to, const struct tare_completion* completions,
                                      uint32_t count) {
  int64_t before = 0;
  to = put(to, count);
  for (uint32_t i = 0; i < count; ++i) {
    const struct tare_completion* done = &completions[i];
    to = put_signed(to, (int64_t)done->request - before - 1);
    before = done->request;
    to = put(to, done->kind);
    if (done->kind == 1) {
      to = put_signed(to, done->source);
      to = put_signed(to, done->tag);
      to = put(to, done->bytes);
    }
  }
  return to;
}

/* `number` is the thread's number plus 1. */
static void encode(const struct tare_event* event, uint32_t number) {
  uint32_t fields = event->fields;
  uint64_t bound = FIXED_BYTES;
  if (fields & TARE_MPI_LIST) {
    const uint64_t list = UINT64_C(15) * count_runs(event->list, event->list_count);
    if (bound + list > TARE_MPI_RECORD_BYTES) {
      fields &= ~TARE_MPI_LIST;
    } else {
      bound += list;
    }
  }
  if (fields & TARE_MPI_COMPLETIONS) bound += (uint64_t)COMPLETION_BYTES * event->completion_count;
  unsigned char* to = reserve(bound);
  if (to == NULL) return;
  if (recorder.previous_thread != number) {
    *to++ = TARE_MPI_THREAD;
    to = put(to, number - 1);
    recorder.previous_thread = number;
    recorder.chunk_records++;
  }
  const uint64_t start = event->start_ns - recorder.init_ns;
  const uint64_t end = event->end_ns - recorder.init_ns;
  *to++ = (unsigned char)event->function;
  to = put(to, fields);
  to = put_signed(to, (int64_t)(start - recorder.previous_end_ns));
  to = put(to, end - start);
  recorder.previous_end_ns = end;
  if (fields & TARE_MPI_CPU) to = put(to, event->cpu_ns);
  if (fields & TARE_MPI_COMM) to = put(to, event->comm);
  if (fields & TARE_MPI_PEER) to = put_signed(to, event->peer);
  if (fields & TARE_MPI_TAG) to = put_signed(to, event->tag);
  if (fields & TARE_MPI_SENT) to = put(to, event->sent);
  if (fields & TARE_MPI_RECEIVED) to = put(to, event->received);
  if (fields & TARE_MPI_SOURCE) to = put_signed(to, event->source);
  if (fields & TARE_MPI_RECV_TAG) to = put_signed(to, event->recv_tag);
  if (fields & TARE_MPI_NEW_REQUEST) to = put(to, event->request);
  if (fields & TARE_MPI_ROOT) to = put_signed(to, event->root);
  if (fields & TARE_MPI_COMPLETIONS) {
    to = put_completions(to, event->completions, event->completion_count);
  }
  if (fields & TARE_MPI_LIST) to = put_list(to, event->list, event->list_count);
  if (fields & TARE_MPI_ERROR) to = put(to, event->error);
  if (fields & TARE_MPI_COUNT) to = put(to, event->count);
  if (fields & TARE_MPI_NEW_COMM) to = put(to, event->new_comm);
  commit(to);
}

static void flush_poll(void) {
  if (!recorder.has_poll) return;
  recorder.has_poll = 0;
  encode(&recorder.poll, recorder.poll_thread);
}

static void acquire(void) {
  if (recorder.locked) pthread_mutex_lock(&lock);
}

static void release(void) {
  if (recorder.locked) pthread_mutex_unlock(&lock);
}

static uint32_t thread_number(void) {
  if (thread.number == 0) {
    thread.number = __atomic_add_fetch(&recorder.threads, 1, __ATOMIC_RELAXED);
  }
  return thread.number;
}

void tare_write_event(const struct tare_event* event) {
  const uint32_t number = thread_number();
  acquire();
  if (recorder.on) {
    flush_poll();
    if (event->completion_count <= COMPLETIONS_PER_EVENT) {
      encode(event, number);
    } else {
      struct tare_event part = *event;
      for (uint32_t done = 0; done < event->completion_count && recorder.on;) {
        const uint32_t left = event->completion_count - done;
        part.completions = event->completions + done;
        part.completion_count = left < COMPLETIONS_PER_EVENT ? left : COMPLETIONS_PER_EVENT;
        done += part.completion_count;
        encode(&part, number);
        part.start_ns = part.end_ns;
        part.cpu_ns = 0;
      }
    }
  } else {
    lose(0);
  }
  release();
}

void tare_write_poll(const struct tare_event* event) {
  const uint32_t number = thread_number();
  acquire();
  if (!recorder.on) {
    lose(0);
  } else if (recorder.has_poll && recorder.poll_thread == number &&
             event->start_ns - recorder.poll.end_ns < POLL_GAP_NS) {
    recorder.poll.end_ns = event->end_ns;
    recorder.poll.count++;
  } else {
    flush_poll();
    recorder.poll = *event;
    recorder.poll.function = TARE_MPI_F_Poll;
    recorder.poll.fields = (event->fields & TARE_MPI_CPU) | TARE_MPI_COUNT;
    recorder.poll.count = 1;
    recorder.poll_thread = number;
    recorder.has_poll = 1;
  }
  release();
}

static uint32_t run_length(const struct tare_members* members, uint32_t first, int64_t* stride) {
  if (first + 1 >= members->count) {
    *stride = 1;
    return 1;
  }
  *stride = (int64_t)members->ranks[first + 1] - members->ranks[first];
  uint32_t next = first + 2;
  while (next < members->count &&
         (int64_t)members->ranks[next] - members->ranks[next - 1] == *stride) {
    ++next;
  }
  return next - first;
}

static uint32_t member_runs(const struct tare_members* members) {
  uint32_t runs = 0;
  int64_t stride;
  for (uint32_t i = 0; i < members->count; ++runs) i += run_length(members, i, &stride);
  return runs;
}

static unsigned char* put_members(unsigned char* to, const struct tare_members* members) {
  to = put(to, member_runs(members));
  for (uint32_t i = 0; i < members->count;) {
    int64_t stride;
    const uint32_t length = run_length(members, i, &stride);
    to = put_signed(to, members->ranks[i]);
    to = put_signed(to, stride);
    to = put(to, length);
    i += length;
  }
  return to;
}

void tare_define_comm(uint32_t number, uint32_t kind, uint32_t parent_and_one,
                      struct tare_members members, const struct tare_members* remote,
                      const struct tare_members* sources, const struct tare_members* destinations) {
  const struct tare_members none = {NULL, 0};
  if (remote == NULL) remote = &none;
  if (sources == NULL) sources = &none;
  if (destinations == NULL) destinations = &none;
  acquire();
  if (recorder.on) {
    flush_poll();
    const uint64_t runs = (uint64_t)member_runs(&members) + member_runs(remote) +
                          member_runs(sources) + member_runs(destinations);
    unsigned char* to = reserve(FIXED_BYTES + 20 * runs);
    if (to != NULL) {
      *to++ = TARE_MPI_DEFINE_COMM;
      to = put(to, number);
      to = put(to, kind);
      to = put(to, parent_and_one);
      to = put_members(to, &members);
      if (kind == TARE_MPI_COMM_INTER) to = put_members(to, remote);
      if (kind == TARE_MPI_COMM_TOPOLOGY) {
        to = put_members(to, sources);
        to = put_members(to, destinations);
      }
      commit(to);
    }
  }
  release();
}

/* --- calls --- */

static int begin(struct tare_event* event, enum tare_mpi_function function, uint64_t now) {
  event->function = function;
  event->fields = TARE_MPI_CPU;
  event->start_ns = now;
  event->completion_count = 0;
  thread.started_ns = now;
  const uint64_t wall = now - thread.resumed_ns;
  if (thread.resumed_ns == 0 || wall >= SHORT_NS) {
    const uint64_t cpu = thread_cpu();
    const uint64_t burst = cpu > thread.resumed_cpu_ns ? cpu - thread.resumed_cpu_ns : 0;
    event->cpu_ns = thread.resumed_ns != 0 && burst > wall ? wall : burst;
    thread.started_cpu_ns = cpu;
    thread.exact_ns = now;
  } else {
    event->cpu_ns = wall;
    thread.started_cpu_ns = thread.resumed_cpu_ns + wall;
  }
  return 1;
}

int tare_enter(struct tare_event* event, enum tare_mpi_function function) {
  if (thread.depth++ > 0 || recorder.header == NULL) return 0;
  const uint64_t now = tare_now();
  begin(event, function, now);
  struct tare_mpi_header* header = recorder.header;
  header->call_communicator = TARE_MPI_WORLD;
  header->call_peer = TARE_MPI_NO_RANK;
  header->call_tag = 0;
  header->call_start_ns = now - recorder.init_ns;
  __atomic_store_n(&header->call, (uint32_t)function + 1, __ATOMIC_RELEASE);
  return 1;
}

int tare_enter_init(struct tare_event* event, enum tare_mpi_function function) {
  if (thread.depth++ > 0) return 0;
  return begin(event, function, tare_now());
}

void tare_announce(uint32_t comm, int32_t peer, int32_t tag) {
  struct tare_mpi_header* header = recorder.header;
  if (header == NULL) return;
  header->call_communicator = comm;
  header->call_peer = peer;
  header->call_tag = tag;
}

void tare_returned(struct tare_event* event) { event->end_ns = tare_now(); }

void tare_leave(int recorded) {
  --thread.depth;
  if (!recorded) return;
  struct tare_mpi_header* header = recorder.header;
  if (header != NULL) __atomic_store_n(&header->call, 0, __ATOMIC_RELEASE);
  uint64_t now = tare_now();
  const uint64_t wall = now - thread.started_ns;
  if (wall >= SHORT_NS || now - thread.exact_ns >= EXACT_NS) {
    thread.resumed_cpu_ns = thread_cpu();
    now = tare_now();
    thread.exact_ns = now;
  } else {
    thread.resumed_cpu_ns = thread.started_cpu_ns + wall;
  }
  thread.resumed_ns = now;
}

/* --- the process --- */

static void after_fork(void) {
  /* The file belongs to the parent. */
  recorder.on = 0;
  recorder.header = NULL;
}

uint32_t tare_recorder_claim(void) {
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

static void read_text(const char* path, char* to, size_t room) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t bytes = read(file, to, room - 1);
  close(file);
  if (bytes > 0) to[strcspn(to, "\n")] = 0;
}

/* The program comes first among the objects that dl_iterate_phdr reports. */
static int find_build_id(struct dl_phdr_info* object, size_t size, void* to) {
  (void)size;
  char* text = to;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    const char* at = (const char*)(object->dlpi_addr + segment->p_vaddr);
    const char* end = at + segment->p_memsz;
    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr)* note = (const ElfW(Nhdr)*)at;
      const char* name = at + sizeof *note;
      const char* data = name + ((note->n_namesz + 3) & ~3u);
      if (data + note->n_descsz > end) break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
          note->n_descsz <= 32) {
        for (uint32_t byte = 0; byte < note->n_descsz; ++byte) {
          snprintf(text + 2 * byte, 3, "%02x", (unsigned char)data[byte]);
        }
        return 1;
      }
      at = data + ((note->n_descsz + 3) & ~3u);
    }
  }
  return 1;
}

static void describe(struct tare_mpi_header* header, const struct tare_process* process) {
  struct timespec utc;
  clock_gettime(CLOCK_REALTIME, &utc);
  const uint64_t utc_ns = (uint64_t)utc.tv_sec * 1000000000 + (uint64_t)utc.tv_nsec;
  const char* run = getenv(TARE_MPI_RUN_VARIABLE);
  header->magic = TARE_MPI_MAGIC;
  header->version = TARE_MPI_VERSION;
  header->architecture = TARE_ARCHITECTURE;
  header->rank = process->rank;
  header->size = process->size;
  header->run = run != NULL ? strtoull(run, NULL, 16) : 0;
  header->job = process->job;
  header->job_number = process->job_number;
  header->thread_level = process->thread_level;
  header->process = (uint64_t)getpid();
  header->start_ns = process->init_start_ns;
  header->start_utc_ns = utc_ns - (tare_now() - process->init_start_ns);
  header->started_ns = recorder.loaded_ns;
  header->flags = 0;
  read_text("/proc/sys/kernel/random/boot_id", header->boot, sizeof header->boot);
  gethostname(header->host, sizeof header->host - 1);
  snprintf(header->library, sizeof header->library, "%.*s", (int)strcspn(process->library, "\n"),
           process->library);
  dl_iterate_phdr(find_build_id, header->build_id);
  if (readlink("/proc/self/exe", header->program, sizeof header->program - 1) < 0) {
    header->program[0] = 0;
  }
  header->checksum = tare_crc32(0, header, offsetof(struct tare_mpi_header, checksum));
  header->call_peer = TARE_MPI_NO_RANK;
}

void tare_recorder_start(const struct tare_process* process) {
  const char* directory = getenv(TARE_MPI_DIRECTORY_VARIABLE);
  if (recorder.header != NULL || process->job_number == 0 || directory == NULL ||
      !file_name(recorder.path, directory, process->job_number, process->rank)) {
    return;
  }
  /* Rank 0 has created its file already; others must not find one. */
  const int file =
      open(recorder.path,
           O_RDWR | O_CLOEXEC | O_NOFOLLOW | (process->rank == 0 ? 0 : O_CREAT | O_EXCL), 0666);
  if (file < 0) return;
  struct stat status;
  void* header = MAP_FAILED;
  if (fstat(file, &status) == 0 && allocate(file, TARE_MPI_HEADER_BYTES) == 0) {
    header = mmap(NULL, TARE_MPI_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (header == MAP_FAILED) return;
  recorder.device = status.st_dev;
  recorder.inode = status.st_ino;
  recorder.init_ns = process->init_start_ns;
  recorder.chunk_at = TARE_MPI_HEADER_BYTES;
  /* Threads may call MPI at the same time only at the highest level. */
  recorder.locked = process->thread_level >= 3;
  describe(header, process);
  pthread_atfork(NULL, NULL, after_fork);
  recorder.header = header;
  recorder.on = 1;
}

int tare_recorder_is_on(void) { return recorder.on; }

void tare_recorder_seal(enum tare_mpi_state state) {
  if (recorder.header == NULL) return;
  acquire();
  if (recorder.on) {
    flush_poll();
    if (recorder.chunk != NULL) close_chunk(TARE_MPI_CHUNK_CLOSED);
    if (open_chunk(0) == 0) {
      close_chunk(TARE_MPI_CHUNK_END);
      const int file = open_again();
      if (file >= 0) {
        if (ftruncate(file, (off_t)recorder.chunk_at) != 0) lose(errno);
        close(file);
      }
    } else {
      lose(ENOSPC);
    }
  }
  recorder.on = 0;
  recorder.header->state = state;
  recorder.header->call = 0;
  recorder.header = NULL;
  release();
}

__attribute__((destructor)) static void unloaded(void) { tare_recorder_seal(TARE_MPI_EXITED); }
