/* recorder.c: encodes events, and keeps time between calls. */
#include "recorder.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "burst_counters.h"
#include "numbers.h"
#include "openmp_events.h"
#include "openmp_runtime.h"
#include "trace_file.h"

/* Polls that follow each other sooner are merged. */
#define POLL_GAP_NS UINT64_C(5000)
/* Code, thread and the numbers of an event without its lists. */
#define FIXED_BYTES 256u
#define COMPLETION_BYTES 40u
#define COUNTER_BYTES 15u
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
  uint32_t threads;
  int is_without_mpi;
  int handles_forks;
  uint64_t init_ns; /* times count from here */
  uint64_t previous_end_ns;
  uint32_t previous_thread;
  int previous_core;
  int has_poll;
  uint32_t poll_thread;
  struct tare_event poll;
} recorder;

static const struct tare_counter_deltas no_counters = {NULL, 0};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t tare_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t tare_thread_cpu(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint32_t count_runs(const uint64_t* values, uint32_t count) {
  uint32_t runs = 0;
  for (uint32_t i = 0; i < count; ++i) runs += i == 0 || values[i] != values[i - 1];
  return runs;
}

static unsigned char* put_list(unsigned char* to, const uint64_t* values, uint32_t count) {
  to = tare_put(to, count);
  for (uint32_t i = 0; i < count;) {
    uint32_t next = i + 1;
    while (next < count && values[next] == values[i]) ++next;
    to = tare_put(to, next - i);
    to = tare_put(to, values[i]);
    i = next;
  }
  return to;
}

static unsigned char* put_completions(unsigned char* to, const struct tare_completion* completions,
                                      uint32_t count) {
  int64_t before = 0;
  to = tare_put(to, count);
  for (uint32_t i = 0; i < count; ++i) {
    const struct tare_completion* done = &completions[i];
    to = tare_put_signed(to, (int64_t)done->request - before - 1);
    before = done->request;
    to = tare_put(to, done->kind);
    if (done->kind == 1) {
      to = tare_put_signed(to, done->source);
      to = tare_put_signed(to, done->tag);
      to = tare_put(to, done->bytes);
    }
  }
  return to;
}

static unsigned char* put_counters(unsigned char* to, struct tare_counter_deltas counters) {
  uint32_t before = 0;
  to = tare_put(to, counters.count);
  for (uint32_t i = 0; i < counters.count; ++i) {
    to = tare_put(to, counters.list[i].slot - before);
    to = tare_put(to, counters.list[i].increase);
    before = counters.list[i].slot;
  }
  return to;
}

/* `number` is the thread's number plus 1. */
static void encode(const struct tare_event* event, uint32_t number,
                   struct tare_counter_deltas counters) {
  uint32_t fields = event->fields | (counters.count > 0 ? TARE_MPI_COUNTERS : 0);
  uint64_t bound = FIXED_BYTES + (uint64_t)COUNTER_BYTES * counters.count;
  if (fields & TARE_MPI_LIST) {
    const uint64_t list = UINT64_C(15) * count_runs(event->list, event->list_count);
    if (bound + list > TARE_MPI_RECORD_BYTES) {
      fields &= ~TARE_MPI_LIST;
    } else {
      bound += list;
    }
  }
  if (fields & TARE_MPI_COMPLETIONS) bound += (uint64_t)COMPLETION_BYTES * event->completion_count;
  int is_new;
  unsigned char* to = tare_file_reserve(bound, recorder.previous_end_ns, &is_new);
  if (to == NULL) return;
  uint32_t records = 1;
  if (is_new || recorder.previous_thread != number) {
    *to++ = TARE_MPI_THREAD;
    to = tare_put(to, number - 1);
    recorder.previous_thread = number;
    ++records;
  }
  const int core = sched_getcpu();
  if (core >= 0 && (is_new || recorder.previous_core != core)) {
    *to++ = TARE_MPI_CORE;
    to = tare_put(to, (uint64_t)core);
    recorder.previous_core = core;
    ++records;
  }
  const uint64_t start = event->start_ns - recorder.init_ns;
  const uint64_t end = event->end_ns - recorder.init_ns;
  *to++ = (unsigned char)event->function;
  to = tare_put(to, fields);
  to = tare_put_signed(to, (int64_t)(start - recorder.previous_end_ns));
  to = tare_put(to, end - start);
  recorder.previous_end_ns = end;
  if (fields & TARE_MPI_CPU) to = tare_put(to, event->cpu_ns);
  if (fields & TARE_MPI_COMM) to = tare_put(to, event->comm);
  if (fields & TARE_MPI_PEER) to = tare_put_signed(to, event->peer);
  if (fields & TARE_MPI_TAG) to = tare_put_signed(to, event->tag);
  if (fields & TARE_MPI_SENT) to = tare_put(to, event->sent);
  if (fields & TARE_MPI_RECEIVED) to = tare_put(to, event->received);
  if (fields & TARE_MPI_SOURCE) to = tare_put_signed(to, event->source);
  if (fields & TARE_MPI_RECV_TAG) to = tare_put_signed(to, event->recv_tag);
  if (fields & TARE_MPI_NEW_REQUEST) to = tare_put(to, event->request);
  if (fields & TARE_MPI_ROOT) to = tare_put_signed(to, event->root);
  if (fields & TARE_MPI_COMPLETIONS) {
    to = put_completions(to, event->completions, event->completion_count);
  }
  if (fields & TARE_MPI_LIST) to = put_list(to, event->list, event->list_count);
  if (fields & TARE_MPI_ERROR) to = tare_put(to, event->error);
  if (fields & TARE_MPI_COUNT) to = tare_put(to, event->count);
  if (fields & TARE_MPI_NEW_COMM) to = tare_put(to, event->new_comm);
  if (fields & TARE_MPI_COUNTERS) to = put_counters(to, counters);
  tare_file_commit(to, records);
}

static void flush_poll(void) {
  if (!recorder.has_poll) return;
  recorder.has_poll = 0;
  encode(&recorder.poll, recorder.poll_thread, no_counters);
}

void tare_recorder_lock(void) { pthread_mutex_lock(&lock); }
int tare_recorder_try_lock(void) { return pthread_mutex_trylock(&lock) == 0; }
void tare_recorder_unlock(void) { pthread_mutex_unlock(&lock); }

uint32_t tare_thread_number(void) {
  if (thread.number == 0) {
    thread.number = __atomic_add_fetch(&recorder.threads, 1, __ATOMIC_RELAXED);
  }
  return thread.number;
}

uint64_t tare_recorder_start_ns(void) { return recorder.init_ns; }

unsigned char* tare_recorder_reserve(uint64_t bytes) {
  int is_new;
  unsigned char* to = tare_file_reserve(bytes, recorder.previous_end_ns, &is_new);
  if (is_new) {
    recorder.previous_thread = 0;
    recorder.previous_core = TARE_MPI_NO_CORE;
  }
  return to;
}

void tare_write_event(const struct tare_event* event) {
  const uint32_t number = tare_thread_number();
  struct tare_counter_deltas counters = tare_counters_burst(
      event->cpu_ns, event->function == TARE_MPI_F_Finalize || event->function == TARE_MPI_F_Abort);
  tare_recorder_lock();
  if (tare_file_is_on()) {
    flush_poll();
    if (event->completion_count <= COMPLETIONS_PER_EVENT) {
      encode(event, number, counters);
    } else {
      struct tare_event part = *event;
      for (uint32_t done = 0; done < event->completion_count && tare_file_is_on();) {
        const uint32_t left = event->completion_count - done;
        part.completions = event->completions + done;
        part.completion_count = left < COMPLETIONS_PER_EVENT ? left : COMPLETIONS_PER_EVENT;
        done += part.completion_count;
        encode(&part, number, counters);
        counters = no_counters;
        part.start_ns = part.end_ns;
        part.cpu_ns = 0;
      }
    }
  } else {
    tare_file_lose(0);
  }
  tare_recorder_unlock();
}

void tare_write_poll(const struct tare_event* event) {
  const uint32_t number = tare_thread_number();
  tare_counters_pending(event->cpu_ns);
  tare_recorder_lock();
  if (!tare_file_is_on()) {
    tare_file_lose(0);
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
  tare_recorder_unlock();
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
  to = tare_put(to, member_runs(members));
  for (uint32_t i = 0; i < members->count;) {
    int64_t stride;
    const uint32_t length = run_length(members, i, &stride);
    to = tare_put_signed(to, members->ranks[i]);
    to = tare_put_signed(to, stride);
    to = tare_put(to, length);
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
  tare_recorder_lock();
  if (tare_file_is_on()) {
    flush_poll();
    const uint64_t runs = (uint64_t)member_runs(&members) + member_runs(remote) +
                          member_runs(sources) + member_runs(destinations);
    unsigned char* to = tare_recorder_reserve(FIXED_BYTES + 20 * runs);
    if (to != NULL) {
      *to++ = TARE_MPI_DEFINE_COMM;
      to = tare_put(to, number);
      to = tare_put(to, kind);
      to = tare_put(to, parent_and_one);
      to = put_members(to, &members);
      if (kind == TARE_MPI_COMM_INTER) to = put_members(to, remote);
      if (kind == TARE_MPI_COMM_TOPOLOGY) {
        to = put_members(to, sources);
        to = put_members(to, destinations);
      }
      tare_file_commit(to, 1);
    }
  }
  tare_recorder_unlock();
}

static int begin(struct tare_event* event, enum tare_mpi_function function, uint64_t now) {
  event->function = function;
  event->fields = TARE_MPI_CPU;
  event->start_ns = now;
  event->completion_count = 0;
  thread.started_ns = now;
  const uint64_t wall = now - thread.resumed_ns;
  if (thread.resumed_ns == 0 || wall >= TARE_SHORT_NS) {
    const uint64_t cpu = tare_thread_cpu();
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
  if (thread.depth++ > 0 || tare_file_header() == NULL) return 0;
  const uint64_t now = tare_now();
  begin(event, function, now);
  struct tare_mpi_header* header = tare_file_header();
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
  struct tare_mpi_header* header = tare_file_header();
  if (header == NULL) return;
  header->call_communicator = comm;
  header->call_peer = peer;
  header->call_tag = tag;
}

void tare_returned(struct tare_event* event) { event->end_ns = tare_now(); }

void tare_leave(int recorded) {
  --thread.depth;
  if (!recorded) return;
  struct tare_mpi_header* header = tare_file_header();
  if (header != NULL) __atomic_store_n(&header->call, 0, __ATOMIC_RELEASE);
  uint64_t now = tare_now();
  const uint64_t wall = now - thread.started_ns;
  if (wall >= TARE_SHORT_NS || now - thread.exact_ns >= TARE_EXACT_NS) {
    thread.resumed_cpu_ns = tare_thread_cpu();
    now = tare_now();
    thread.exact_ns = now;
  } else {
    thread.resumed_cpu_ns = thread.started_cpu_ns + wall;
  }
  thread.resumed_ns = now;
}

/* Nobody writes while the process is forked: the lock of the child is free. */
static void after_fork(void) {
  tare_file_forget();
  tare_counters_forget();
  tare_recorder_unlock();
}

static void describe(struct tare_mpi_header* header, const void* process) {
  tare_describe_process(header, process);
}

static void define_modules(void) {
  const uint32_t modules = tare_counters_open();
  for (uint32_t i = 0; i < modules; ++i) {
    const struct tare_counter_module module = tare_counters_module(i);
    unsigned char* to = tare_recorder_reserve(FIXED_BYTES + (uint64_t)module.path_bytes);
    if (to == NULL) return;
    *to++ = TARE_MPI_MODULE;
    to = tare_put(to, module.first_slot);
    to = tare_put(to, module.slots);
    to = tare_put(to, module.path_bytes);
    memcpy(to, module.path, module.path_bytes);
    tare_file_commit(to + module.path_bytes, 1);
  }
}

void tare_recorder_start(const struct tare_process* process) {
  /* A program that seemed not to use MPI has a file already. */
  tare_recorder_seal(TARE_MPI_EXITED);
  const enum tare_mpi_openmp openmp = tare_openmp_runtime();
  tare_recorder_lock();
  if (tare_file_open(process->job_number, process->rank, describe, process)) {
    recorder.init_ns = process->init_start_ns;
    recorder.previous_end_ns = 0;
    recorder.previous_thread = 0;
    recorder.previous_core = TARE_MPI_NO_CORE;
    recorder.is_without_mpi = process->is_without_mpi;
    tare_thread_number();
    tare_openmp_new_file();
    define_modules();
    tare_file_header()->openmp = openmp;
    if (!recorder.handles_forks) {
      pthread_atfork(tare_recorder_lock, tare_recorder_unlock, after_fork);
      recorder.handles_forks = 1;
    }
  }
  tare_recorder_unlock();
}

void tare_recorder_seal(enum tare_mpi_state state) {
  /* Not under the lock: it asks the dynamic linker, which may run code that records. */
  const enum tare_mpi_openmp openmp =
      state == TARE_MPI_FINALIZED ? tare_openmp_runtime() : TARE_MPI_OPENMP_NONE;
  tare_recorder_lock();
  if (tare_file_is_on()) {
    flush_poll();
    tare_openmp_drain();
  }
  if (tare_file_header() != NULL) {
    if (openmp != TARE_MPI_OPENMP_NONE) tare_file_header()->openmp = openmp;
    tare_file_seal(
        state, recorder.is_without_mpi ? tare_now() - recorder.init_ns : recorder.previous_end_ns);
  }
  tare_recorder_unlock();
}

__attribute__((destructor)) static void unloaded(void) { tare_recorder_seal(TARE_MPI_EXITED); }
