/* sample_events.c: events of processor and kernel that the signal sampler reads.
 *
 * They count all threads of the process from the runtime's start on. The handler reads them by
 * read(2), which is safe there and adds up the threads; the instruction that reads a counter sees
 * only its own thread. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "module.h"
#include "system_call.h"

/* A program may close descriptors that it does not know and use their numbers again. Numbers this
 * high are used again late, and the event's id tells whether the descriptor is still ours. */
#define FIRST_DESCRIPTOR 400

static struct {
  int descriptor; /* -1: not open */
  uint64_t id;
} events[TARE_SAMPLE_MAX_EVENTS];
static unsigned used;

/* Where the kernel's mode is forbidden, page faults and clocks are counted in user mode. Switches
 * and migrations would read 0. */
static int counts_in_user_mode(const struct tare_sample_event* event) {
  return event->type != PERF_TYPE_SOFTWARE || (event->config != PERF_COUNT_SW_CONTEXT_SWITCHES &&
                                               event->config != PERF_COUNT_SW_CPU_MIGRATIONS);
}

static int open_event(const struct tare_sample_event* event) {
  struct perf_event_attr attributes;
  for (unsigned i = 0; i < sizeof attributes; ++i) ((volatile uint8_t*)&attributes)[i] = 0;
  attributes.size = sizeof attributes;
  attributes.type = (uint32_t)event->type;
  attributes.config = event->config;
  attributes.config1 = event->config1;
  attributes.config2 = event->config2;
  attributes.exclude_kernel = event->with_kernel == 0;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;
  attributes.inherit_thread = 1; /* since Linux 5.13; without it children would count, too */
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  long low = TARE_CALL6(perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
  if ((low == -EACCES || low == -EPERM) && counts_in_user_mode(event)) {
    attributes.exclude_kernel = 1;
    low = TARE_CALL6(perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
  }
  if (tare_call_failed(low)) return -1;
  const long high = TARE_CALL3(fcntl, low, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
  if (tare_call_failed(high)) return (int)low;
  TARE_CALL1(close, low);
  return (int)high;
}

static uint64_t id_of(int descriptor) {
  uint64_t id = 0;
  if (tare_call_failed(TARE_CALL3(ioctl, descriptor, PERF_EVENT_IOC_ID, &id))) return 0;
  return id;
}

TARE_HIDDEN void tare_runtime_open_events(const struct tare_counters_request* request) {
  used = request->sample_events <= TARE_SAMPLE_MAX_EVENTS ? (unsigned)request->sample_events : 0;
  for (unsigned i = 0; i < used; ++i) {
    events[i].descriptor = open_event(&request->events[i]);
    events[i].id = events[i].descriptor < 0 ? 0 : id_of(events[i].descriptor);
  }
}

TARE_HIDDEN void tare_runtime_read_events(uint64_t* values) {
  for (unsigned i = 0; i < used; ++i) {
    uint64_t read[3] = {0, 0, 0}; /* the count, and the times enabled and running */
    values[i] = TARE_SAMPLE_NO_EVENT;
    if (events[i].id == 0 || id_of(events[i].descriptor) != events[i].id) continue;
    if (TARE_CALL3(read, events[i].descriptor, read, sizeof read) != (long)sizeof read) continue;
    if (read[2] < read[1] || read[2] == 0) continue; /* other programs use the counter, too */
    values[i] = read[0];
  }
}
