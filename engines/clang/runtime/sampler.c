/* sampler.c: a timer signal inside the program that writes all totals to a ring.
 *
 * Runs only in the program, not in its libraries or forked children. The handler makes system calls
 * and accesses memory that was reserved before; all other signals are blocked meanwhile. */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "module.h"
#include "system_call.h"

#define MAX_RING_BYTES (UINT64_C(64) << 20)

static struct {
  struct tare_module* module; /* 0: no sampling */
  uint8_t* extremes;          /* for each slot: 1 when banks are combined by their maximum */
  uint64_t interval_ns;
  int timer;
  int busy;
} sampler;

TARE_HIDDEN void tare_runtime_plan_samples(struct tare_module* module) {
  struct tare_counters_header* const plan = &module->plan;
  struct tare_counters_request request;
  if (plan->is_library || !tare_runtime_read_request(module, &request) ||
      request.sample_interval_ns == 0) {
    return;
  }
  plan->sample_values = TARE_SAMPLE_FIXED_VALUES + plan->slots;
  if (request.sample_events <= TARE_SAMPLE_MAX_EVENTS) plan->sample_values += request.sample_events;
  plan->samples_room = MAX_RING_BYTES / (plan->sample_values * sizeof(uint64_t));
  if (plan->samples_room > request.samples_room) plan->samples_room = request.samples_room;
  plan->sample_interval_ns = request.sample_interval_ns;
}

static uint64_t clock_ns(int clock) {
  struct timespec time = {0, 0};
  TARE_CALL2(clock_gettime, clock, &time);
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static void set_timer(uint64_t interval_ns) {
  struct itimerspec when;
  if (interval_ns != 0 && interval_ns < TARE_SAMPLE_LEAST_NS) interval_ns = TARE_SAMPLE_LEAST_NS;
  when.it_interval.tv_sec = (time_t)(interval_ns / 1000000000);
  when.it_interval.tv_nsec = (long)(interval_ns % 1000000000);
  when.it_value = when.it_interval;
  TARE_CALL4(timer_settime, sampler.timer, 0, &when, 0);
}

static void write_fixed_values(uint64_t* record) {
  struct rusage usage;
  for (unsigned i = 0; i < sizeof usage / sizeof(long); ++i) ((volatile long*)&usage)[i] = 0;
  TARE_CALL2(getrusage, RUSAGE_SELF, &usage);
  record[TARE_SAMPLE_CPU_NS] = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  record[TARE_SAMPLE_MINOR_FAULTS] = (uint64_t)usage.ru_minflt;
  record[TARE_SAMPLE_MAJOR_FAULTS] = (uint64_t)usage.ru_majflt;
  record[TARE_SAMPLE_VOLUNTARY_SWITCHES] = (uint64_t)usage.ru_nvcsw;
  record[TARE_SAMPLE_INVOLUNTARY_SWITCHES] = (uint64_t)usage.ru_nivcsw;
  record[TARE_SAMPLE_MAX_RESIDENT_KIB] = (uint64_t)usage.ru_maxrss;
}

static void write_totals(const struct tare_module* module, uint64_t* totals) {
  const uint64_t slots = module->plan.slots;
  uint64_t used = __atomic_load_n(&module->shared->banks_used, __ATOMIC_ACQUIRE);
  if (used > module->plan.banks) used = module->plan.banks;
  for (uint64_t slot = 0; slot < slots; ++slot) totals[slot] = 0;
  for (uint64_t i = 0; i < used; ++i) {
    if (__atomic_load_n(&module->owners[i], __ATOMIC_ACQUIRE) == TARE_OWNER_NONE) continue;
    const uint64_t* bank = (const uint64_t*)(void*)(module->banks + i * module->plan.bank_bytes);
    for (uint64_t slot = 0; slot < slots; ++slot) {
      const uint64_t value = __atomic_load_n(&bank[slot], __ATOMIC_RELAXED);
      if (sampler.extremes[slot] == 0) {
        totals[slot] += value;
      } else if (totals[slot] < value) {
        totals[slot] = value;
      }
    }
  }
}

static void write_record(struct tare_module* module, uint64_t now) {
  struct tare_counters_header* const shared = module->shared;
  const uint64_t written = shared->samples_written;
  const uint64_t taken = __atomic_load_n(&shared->samples_taken, __ATOMIC_ACQUIRE);
  if (written - taken >= module->plan.samples_room) {
    __atomic_fetch_add(&shared->samples_lost, 1, __ATOMIC_RELAXED);
    return;
  }
  uint64_t* const ring = (uint64_t*)(void*)((uint8_t*)shared + module->plan.samples_at);
  uint64_t* const record = ring + written % module->plan.samples_room * module->plan.sample_values;
  record[TARE_SAMPLE_TIME_NS] = now;
  write_fixed_values(record);
  write_totals(module, record + TARE_SAMPLE_FIXED_VALUES);
  tare_runtime_read_events(record + TARE_SAMPLE_FIXED_VALUES + module->plan.slots);
  __atomic_store_n(&shared->samples_written, written + 1, __ATOMIC_RELEASE);
}

/* A process-directed signal can reach a second thread before the first has finished; the second
 * gives up. */
static void sample(void) {
  struct tare_module* const module = sampler.module;
  if (module == 0) return;
  struct tare_counters_header* const shared = module->shared;
  if (__atomic_exchange_n(&sampler.busy, 1, __ATOMIC_ACQUIRE) != 0) {
    __atomic_fetch_add(&shared->samples_lost, 1, __ATOMIC_RELAXED);
    return;
  }
  const uint64_t start = clock_ns(CLOCK_MONOTONIC);
  write_record(module, start);
  const uint64_t wanted = __atomic_load_n(&shared->sample_interval_ns, __ATOMIC_RELAXED);
  if (wanted != sampler.interval_ns) {
    sampler.interval_ns = wanted;
    set_timer(wanted);
  }
  shared->sampling_ns += clock_ns(CLOCK_MONOTONIC) - start;
  __atomic_store_n(&sampler.busy, 0, __ATOMIC_RELEASE);
}

/* qemu-user before version 9 enters x86-64 signal handlers with a misaligned stack. */
#if defined(__x86_64__)
__attribute__((force_align_arg_pointer))
#endif
static void
handle(int signal) {
  (void)signal;
  sample();
}

/* Whether a field of a unit's text, up to a tab or the end of the line, equals `word`. */
static int is_field(const char* field, const char* end, const char* word) {
  while (field < end && *word != 0 && *field == *word) ++field, ++word;
  return *word == 0 && field < end && *field == '\t';
}

static const char* next_field(const char* at, const char* end) {
  while (at < end && *at != '\t' && *at != '\n') ++at;
  return at < end && *at == '\t' ? at + 1 : end;
}

static void mark_line(const struct tare_module* module, const char* line, const char* end,
                      uint64_t first) {
  if (!is_field(line, end, "metric")) return;
  const char* const kind = next_field(next_field(line, end), end);
  if (!is_field(kind, end, "minimum") && !is_field(kind, end, "maximum") &&
      !is_field(kind, end, "signed-minimum") && !is_field(kind, end, "signed-maximum")) {
    return;
  }
  uint64_t slot = 0;
  for (const char* at = next_field(kind, end); at < end && *at >= '0' && *at <= '9'; ++at) {
    slot = slot * 10 + (uint64_t)(*at - '0');
  }
  if (first + slot < module->plan.slots) sampler.extremes[first + slot] = 1;
}

static void mark_unit(const struct tare_module* module, const struct tare_counters_unit* unit) {
  const char* line = (const char*)(unit + 1);
  const char* const end = line + unit->text_bytes;
  const uint64_t counters = (uint64_t)&unit->counters_offset + (uint64_t)unit->counters_offset;
  const uint64_t first = (counters - module->plan.counters_address) / sizeof(uint64_t);
  while (line < end) {
    const char* stop = line;
    while (stop < end && *stop != '\n') ++stop;
    mark_line(module, line, stop, first);
    line = stop + 1;
  }
}

static void mark_extremes(const struct tare_module* module) {
  const uint8_t* at = (const uint8_t*)module->plan.units_address;
  const uint8_t* const end = at + module->plan.units_bytes;
  while (at + sizeof(struct tare_counters_unit) <= end) {
    const struct tare_counters_unit* unit = (const struct tare_counters_unit*)(const void*)at;
    if (unit->size >= sizeof *unit) mark_unit(module, unit);
    at += unit->size >= sizeof *unit ? unit->size : sizeof(uint64_t); /* linker padding */
  }
}

static int take_signal(void) {
  struct sigaction old;
  struct sigaction action;
  if (sigaction(TARE_SAMPLE_SIGNAL, 0, &old) != 0) return 0;
  if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) return 0;
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  return sigaction(TARE_SAMPLE_SIGNAL, &action, 0) == 0;
}

static int make_timer(void) {
  struct sigevent event;
  for (unsigned i = 0; i < sizeof event; ++i) ((volatile uint8_t*)&event)[i] = 0;
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = TARE_SAMPLE_SIGNAL;
  return !tare_call_failed(TARE_CALL3(timer_create, CLOCK_MONOTONIC, &event, &sampler.timer));
}

static int make_room(const struct tare_module* module) {
  const struct tare_counters_header* plan = &module->plan;
  const uint64_t at = (uint64_t)module->shared + plan->samples_at;
  const uint64_t bytes = plan->samples_room * plan->sample_values * sizeof(uint64_t);
  if (!tare_runtime_populate(module, at, bytes)) return 0;
  const long extremes = TARE_CALL6(mmap, 0, plan->slots + 1, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (tare_call_failed(extremes)) return 0;
  sampler.extremes = (uint8_t*)extremes;
  return 1;
}

TARE_HIDDEN void tare_runtime_start_samples(struct tare_module* module) {
  if (!module->observed || module->plan.samples_room == 0) return;
  if (!make_room(module) || !take_signal() || !make_timer()) {
    __atomic_store_n(&module->shared->samples_room, 0, __ATOMIC_RELEASE);
    return;
  }
  struct tare_counters_request request;
  if (tare_runtime_read_request(module, &request)) tare_runtime_open_events(&request);
  mark_extremes(module);
  sampler.interval_ns = module->plan.sample_interval_ns;
  sampler.module = module;
  sample();
  set_timer(sampler.interval_ns);
}

TARE_HIDDEN void tare_runtime_end_samples(struct tare_module* module) {
  if (sampler.module != module) return;
  TARE_CALL1(timer_delete, sampler.timer);
  sample();
}

TARE_HIDDEN void tare_runtime_forget_samples(void) { sampler.module = 0; }
