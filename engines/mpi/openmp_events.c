/* openmp_events.c: one ring of events per thread. Its thread fills it; whoever holds the recorder's
 * lock empties it. */
#include "openmp_events.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "numbers.h"
#include "recorder.h"
#include "trace_file.h"

#define RING_EVENTS 512u
/* Numbers of an event and of the block around them, at most. */
#define EVENT_BYTES 48u
#define BLOCK_BYTES 48u
#define DRAIN_NS UINT64_C(100000000)
#define PLACES 1024u /* more are unknown */
#define MAX_THREADS 65535u

struct ring {
  struct ring* next;
  int used;           /* by a thread; under the lock */
  uint32_t number;    /* of the thread, from 0 */
  uint64_t before_ns; /* the last event that was written */
  uint64_t head;      /* events stored */
  uint64_t tail;      /* events written */
  struct tare_openmp_record records[RING_EVENTS];
};

static struct ring* rings;
static uint64_t drained_ns;

static __thread struct ring* own __attribute__((tls_model("initial-exec")));

static struct place {
  const void* code;
  const char* path;
  uint64_t address;
  uint32_t is_known;
  uint32_t number; /* in the file that `session` is; under the lock */
  uint32_t session;
} places[PLACES];
static uint32_t place_count; /* in the file */
static uint32_t place_session;

static void resolve(struct place* place) {
  Dl_info found;
  struct link_map* object = NULL;
  if (dladdr1(place->code, &found, (void**)&object, RTLD_DL_LINKMAP) == 0 || object == NULL) return;
  char* path = strndup(object->l_name, PATH_MAX);
  if (path == NULL) return;
  place->path = path;
  place->address = (uint64_t)((uintptr_t)place->code - object->l_addr);
  __atomic_store_n(&place->is_known, 1, __ATOMIC_RELEASE);
}

uint32_t tare_openmp_place(const void* code) {
  if (code == NULL) return 0;
  const uint64_t hash = (uint64_t)(uintptr_t)code * UINT64_C(0x9e3779b97f4a7c15) >> 32;
  for (uint32_t i = 0; i < PLACES; ++i) {
    const uint32_t at = (uint32_t)(hash + i) % PLACES;
    const void* there = __atomic_load_n(&places[at].code, __ATOMIC_ACQUIRE);
    if (there == NULL && __atomic_compare_exchange_n(&places[at].code, &there, code, 0,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      resolve(&places[at]);
      return at + 1;
    }
    if (there == code) return at + 1;
  }
  return 0;
}

/* Writes the definition of a place, unless it is in the file already. */
static void define_place(uint32_t index) {
  if (index == 0) return;
  struct place* place = &places[index - 1];
  if (place->session == place_session) return;
  if (!__atomic_load_n(&place->is_known, __ATOMIC_ACQUIRE)) return;
  const size_t length = strlen(place->path);
  unsigned char* to = tare_file_is_on() ? tare_recorder_reserve(BLOCK_BYTES + length) : NULL;
  if (to == NULL) return;
  place->session = place_session;
  place->number = ++place_count;
  *to++ = TARE_MPI_OPENMP_PLACE;
  to = tare_put(to, place->number);
  to = tare_put(to, place->address);
  to = tare_put(to, length);
  memcpy(to, place->path, length);
  tare_file_commit(to + length, 1);
}

static uint32_t place_number(uint32_t index) {
  if (index == 0 || places[index - 1].session != place_session) return 0;
  return places[index - 1].number;
}

static unsigned char* put_record(unsigned char* to, const struct tare_openmp_record* record,
                                 uint64_t before_ns) {
  const uint64_t wall = record->time_ns > before_ns ? record->time_ns - before_ns : 0;
  *to++ = (unsigned char)record->kind;
  to = tare_put(to, wall);
  to = tare_put(to, wall > record->cpu_ns ? wall - record->cpu_ns : 0);
  switch (record->kind) {
    case TARE_OPENMP_FORK:
      to = tare_put(to, record->region);
      return tare_put(to, place_number(record->first));
    case TARE_OPENMP_JOIN:
    case TARE_OPENMP_END:
      return tare_put(to, record->region);
    case TARE_OPENMP_BEGIN:
      to = tare_put(to, record->region);
      to = tare_put(to, record->first);
      return tare_put(to, record->threads);
    case TARE_OPENMP_ARRIVE:
    case TARE_OPENMP_RELEASE:
      return tare_put(to, record->first);
    default:
      return to;
  }
}

static void drain_ring(struct ring* ring) {
  const uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  const uint64_t tail = ring->tail;
  if (head == tail) return;
  for (uint64_t i = tail; i < head; ++i) {
    const struct tare_openmp_record* record = &ring->records[i % RING_EVENTS];
    if (record->kind == TARE_OPENMP_FORK) define_place(record->first);
  }
  unsigned char* to =
      tare_file_is_on() ? tare_recorder_reserve(BLOCK_BYTES + EVENT_BYTES * (head - tail)) : NULL;
  if (to == NULL) {
    for (uint64_t i = tail; i < head; ++i) tare_file_lose(0);
  } else {
    if (ring->before_ns == 0) ring->before_ns = ring->records[tail % RING_EVENTS].time_ns;
    *to++ = TARE_MPI_OPENMP_BLOCK;
    to = tare_put(to, ring->number);
    to = tare_put_signed(to, (int64_t)(ring->before_ns - tare_recorder_start_ns()));
    to = tare_put(to, head - tail);
    for (uint64_t i = tail; i < head; ++i) {
      const struct tare_openmp_record* record = &ring->records[i % RING_EVENTS];
      to = put_record(to, record, ring->before_ns);
      if (record->time_ns > ring->before_ns) ring->before_ns = record->time_ns;
    }
    tare_file_commit(to, 1);
  }
  __atomic_store_n(&ring->tail, head, __ATOMIC_RELEASE);
}

void tare_openmp_drain(void) {
  for (struct ring* ring = rings; ring != NULL; ring = ring->next) drain_ring(ring);
}

void tare_openmp_new_file(void) {
  ++place_session;
  place_count = 0;
  for (struct ring* ring = rings; ring != NULL; ring = ring->next) {
    __atomic_store_n(&ring->tail, __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    ring->before_ns = 0;
  }
}

/* A ring that no thread uses, or a new one. */
static struct ring* take_ring(void) {
  const uint32_t number = tare_thread_number() - 1;
  if (number > MAX_THREADS) return NULL;
  tare_recorder_lock();
  struct ring* ring = rings;
  while (ring != NULL && ring->used) ring = ring->next;
  if (ring == NULL) {
    void* memory =
        mmap(NULL, sizeof *ring, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
      ring = memory;
      ring->next = rings;
      rings = ring;
    } else {
      tare_file_lose(errno);
    }
  }
  if (ring != NULL) {
    drain_ring(ring);
    ring->used = 1;
    ring->number = number;
    ring->before_ns = 0;
  }
  tare_recorder_unlock();
  return ring;
}

void tare_openmp_append(const struct tare_openmp_record* record) {
  if (!tare_file_is_on()) return;
  struct ring* ring = own;
  if (ring == NULL) own = ring = take_ring();
  if (ring == NULL) return;
  const uint64_t head = ring->head;
  if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) == RING_EVENTS) {
    tare_recorder_lock();
    drain_ring(ring);
    tare_recorder_unlock();
  }
  ring->records[head % RING_EVENTS] = *record;
  __atomic_store_n(&ring->head, head + 1, __ATOMIC_RELEASE);
  uint64_t last = __atomic_load_n(&drained_ns, __ATOMIC_RELAXED);
  if (record->time_ns > last + DRAIN_NS &&
      __atomic_compare_exchange_n(&drained_ns, &last, record->time_ns, 0, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED) &&
      tare_recorder_try_lock()) {
    tare_openmp_drain();
    tare_recorder_unlock();
  }
}

void tare_openmp_thread_ended(void) {
  struct ring* ring = own;
  if (ring == NULL) return;
  own = NULL;
  tare_recorder_lock();
  drain_ring(ring);
  ring->used = 0;
  tare_recorder_unlock();
}
