/* openmp_runtime.c: the OMPT tool: hears of parallel regions, their members and their barriers. */
#include "openmp_runtime.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "library.h"
#include "ompt.h"
#include "openmp_events.h"
#include "recorder.h"
#include "trace_file.h"

#define EXPORT __attribute__((visibility("default")))

#define WAITS 64 /* within each other, by tasks that wait; deeper ones are not recorded */

static int is_active;
static uint64_t regions;

static __thread struct {
  uint64_t time_ns; /* of the event before */
  uint64_t cpu_ns;  /* at that time */
  uint64_t exact_ns;
  int waits;
  int in_task;                           /* instead of waiting */
  const union ompt_data* waiting[WAITS]; /* the task that waits */
} thread __attribute__((tls_model("initial-exec")));

/* The CPU time since the event before. */
static uint64_t elapse(uint64_t now) {
  const uint64_t wall = now - thread.time_ns;
  uint64_t cpu = wall;
  if (wall < TARE_SHORT_NS && now - thread.exact_ns < TARE_EXACT_NS) {
    thread.cpu_ns += wall;
  } else {
    const uint64_t read = tare_thread_cpu();
    cpu = read > thread.cpu_ns ? read - thread.cpu_ns : 0;
    if (cpu > wall) cpu = wall;
    thread.cpu_ns = read;
    thread.exact_ns = now;
  }
  thread.time_ns = now;
  return cpu;
}

static void append(enum tare_openmp_event kind, uint64_t region, uint32_t first, uint32_t threads) {
  if (!tare_file_is_on()) return;
  const uint64_t now = tare_now();
  const struct tare_openmp_record record = {.time_ns = now,
                                            .cpu_ns = elapse(now),
                                            .region = region,
                                            .kind = kind,
                                            .first = first,
                                            .threads = threads};
  tare_openmp_append(&record);
}

static void on_thread_end(union ompt_data* data) {
  (void)data;
  tare_openmp_thread_ended();
}

static void on_parallel_begin(union ompt_data* task, const void* frame, union ompt_data* parallel,
                              unsigned requested, int flags, const void* code) {
  (void)task;
  (void)frame;
  (void)requested;
  if (flags & OMPT_PARALLEL_LEAGUE) return;
  parallel->value = __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED);
  append(TARE_OPENMP_FORK, parallel->value, tare_openmp_place(code), 0);
}

static void on_parallel_end(union ompt_data* parallel, union ompt_data* task, int flags,
                            const void* code) {
  (void)task;
  (void)code;
  if (flags & OMPT_PARALLEL_LEAGUE) return;
  append(TARE_OPENMP_JOIN, parallel->value, 0, 0);
}

/* The end of a member has no region any more, which the value of its task remembers. */
static void on_implicit_task(int endpoint, union ompt_data* parallel, union ompt_data* task,
                             unsigned threads, unsigned index, int flags) {
  if (!(flags & OMPT_TASK_IMPLICIT)) return;
  if (endpoint == OMPT_SCOPE_BEGIN) {
    task->value = parallel != NULL ? parallel->value : 0;
    append(TARE_OPENMP_BEGIN, task->value, index, threads);
  } else if (endpoint == OMPT_SCOPE_END) {
    append(TARE_OPENMP_END, task->value, 0, 0);
  }
}

static enum tare_openmp_wait wait_kind(int kind) {
  switch (kind) {
    case OMPT_SYNC_BARRIER_EXPLICIT:
      return TARE_OPENMP_EXPLICIT;
    case OMPT_SYNC_BARRIER_IMPLICIT:
    case OMPT_SYNC_BARRIER_IMPLICIT_WORKSHARE:
    case OMPT_SYNC_BARRIER_IMPLICIT_PARALLEL:
      return TARE_OPENMP_IMPLICIT;
    case OMPT_SYNC_TASKWAIT:
      return TARE_OPENMP_TASKWAIT;
    case OMPT_SYNC_TASKGROUP:
      return TARE_OPENMP_TASKGROUP;
    default:
      return TARE_OPENMP_OTHER;
  }
}

static void on_wait(int kind, int endpoint, union ompt_data* parallel, union ompt_data* task,
                    const void* code) {
  (void)parallel;
  (void)code;
  if (endpoint == OMPT_SCOPE_BEGIN) {
    if (thread.waits < WAITS) thread.waiting[thread.waits] = task;
    thread.in_task = 0;
    if (thread.waits++ < WAITS) append(TARE_OPENMP_ARRIVE, 0, wait_kind(kind), 0);
  } else if (endpoint == OMPT_SCOPE_END && thread.waits > 0) {
    if (--thread.waits < WAITS) append(TARE_OPENMP_RELEASE, 0, wait_kind(kind), 0);
    /* What waits outside of it does so because it executes the task that waited inside. */
    thread.in_task = thread.waits > 0;
  }
}

/* A thread that waits may execute tasks meanwhile, which is not waiting. */
static void on_task_schedule(union ompt_data* prior, int status, union ompt_data* next) {
  (void)prior;
  (void)status;
  if (thread.waits == 0 || thread.waits > WAITS) return;
  const int in_task = next != NULL && next != thread.waiting[thread.waits - 1];
  if (in_task == thread.in_task) return;
  thread.in_task = in_task;
  append(in_task ? TARE_OPENMP_TASK : TARE_OPENMP_RESUME, 0, 0, 0);
}

/* Without MPI, the process is a job of its own. */
static void start_without_mpi(void) {
  static const char* const launchers[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; ++i) {
    if (getenv(launchers[i]) != NULL) return;
  }
  if (tare_file_is_on() || tare_find_symbol("PMPI_Init") != NULL) return;
  struct tare_process process = {.size = 1,
                                 .job_number = tare_file_claim(),
                                 .init_start_ns = tare_loaded_ns(),
                                 .is_without_mpi = 1,
                                 .library = ""};
  if (getrandom(&process.job, sizeof process.job, 0) < 0) process.job = tare_now();
  tare_recorder_start(&process);
}

static int initialize(void (*(*lookup)(const char*))(void), int device, union ompt_data* tool) {
  (void)device;
  (void)tool;
  typedef int set_callback(int which, void (*callback)(void));
  set_callback* const set = (set_callback*)lookup("ompt_set_callback");
  if (set == NULL) return 0;
  set(OMPT_THREAD_END, (void (*)(void))on_thread_end);
  set(OMPT_PARALLEL_BEGIN, (void (*)(void))on_parallel_begin);
  set(OMPT_PARALLEL_END, (void (*)(void))on_parallel_end);
  set(OMPT_IMPLICIT_TASK, (void (*)(void))on_implicit_task);
  set(OMPT_SYNC_REGION_WAIT, (void (*)(void))on_wait);
  set(OMPT_TASK_SCHEDULE, (void (*)(void))on_task_schedule);
  __atomic_store_n(&is_active, 1, __ATOMIC_RELAXED);
  tare_recorder_lock();
  if (tare_file_header() != NULL) tare_file_header()->openmp = TARE_MPI_OPENMP_OMPT;
  tare_recorder_unlock();
  start_without_mpi();
  return 1;
}

static void finalize(union ompt_data* tool) { (void)tool; }

/* OpenMP runtimes with OMPT look for this function in all loaded libraries. */
EXPORT struct ompt_start_tool_result* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version;
  (void)runtime;
  static struct ompt_start_tool_result result = {initialize, finalize, {0}};
  return getenv(TARE_MPI_DIRECTORY_VARIABLE) != NULL ? &result : NULL;
}

static int is_loaded(const char* file) {
  void* library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (library != NULL) dlclose(library);
  return library != NULL;
}

enum tare_mpi_openmp tare_openmp_runtime(void) {
  if (__atomic_load_n(&is_active, __ATOMIC_RELAXED)) return TARE_MPI_OPENMP_OMPT;
  if (is_loaded("libgomp.so.1")) return TARE_MPI_OPENMP_LIBGOMP;
  const char* tool = getenv("OMP_TOOL");
  if (tool != NULL && strcmp(tool, "disabled") == 0 && is_loaded("libomp.so.5")) {
    return TARE_MPI_OPENMP_DISABLED;
  }
  return TARE_MPI_OPENMP_NONE;
}
