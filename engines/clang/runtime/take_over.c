/* take_over.c: lets a library that is loaded again reuse the memory of its earlier load.
 *
 * A library's destructor cannot distinguish dlclose from exit, during which other threads still
 * count; so the memory is never freed. A program may load and unload a library thousands of times,
 * and would run out of mappings if each load created its own. The regions' addresses are derived
 * from an address in the C library, which stays loaded, so a later load finds them again. */
#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "module.h"
#include "system_call.h"

#define PLACES 64
/* Larger than any region. The regions are below the C library, among other mappings, where memory
 * checkers expect mappings. */
#define PLACE_BYTES (UINT64_C(2) << 30)
#define FIRST_PLACE (UINT64_C(16) << 30)

#if !defined(MAP_FIXED_NOREPLACE)
#define MAP_FIXED_NOREPLACE 0x100000
#endif

static uint64_t unloaded_mark(const struct tare_module* module) {
  return module->plan.image ^ TARE_COUNTERS_MAGIC;
}

TARE_HIDDEN void tare_runtime_leave(struct tare_module* module) {
  __atomic_store_n(&module->unloaded, unloaded_mark(module), __ATOMIC_RELEASE);
}

/* Returns 0 when the memory cannot be read. */
static int read_memory(void* to, uint64_t from, uint64_t bytes, uint64_t process) {
  const struct iovec here = {to, bytes};
  const struct iovec there = {(void*)from, bytes};
  return TARE_CALL6(process_vm_readv, process, &here, 1, &there, 1, 0) == (long)bytes;
}

static int is_left_by(uint64_t place, const struct tare_module* draft) {
  struct {
    uint64_t unloaded;
    struct tare_counters_header plan;
  } head;
  const struct tare_counters_header* const plan = &draft->plan;
  if (!read_memory(&head, place, sizeof head, plan->process)) return 0;
  return head.unloaded == unloaded_mark(draft) && head.plan.process == plan->process &&
         head.plan.image == plan->image && head.plan.slots == plan->slots &&
         head.plan.units_bytes == plan->units_bytes &&
         head.plan.functions_room == plan->functions_room;
}

static struct tare_module* revive(struct tare_module* old, const struct tare_module* draft) {
  uint64_t mark = unloaded_mark(draft);
  for (uint64_t i = 0; i < TARE_PATH_ROOM; ++i) {
    if (old->path[i] != draft->path[i]) return 0;
    if (old->path[i] == 0) break;
  }
  if (!__atomic_compare_exchange_n(&old->unloaded, &mark, 0, 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED)) {
    return 0;
  }
  old->plan.load_bias = old->shared->load_bias = draft->plan.load_bias;
  old->plan.counters_address = old->shared->counters_address = draft->plan.counters_address;
  old->plan.units_address = old->shared->units_address = draft->plan.units_address;
  __atomic_store_n(&old->shared->state, TARE_COUNTERS_RUNNING, __ATOMIC_RELEASE);
  return old;
}

TARE_HIDDEN struct tare_module* tare_runtime_find_place(const struct tare_module* draft,
                                                        int* is_new) {
  const uint64_t start = (uint64_t)&getauxval / PLACE_BYTES * PLACE_BYTES - FIRST_PLACE;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  for (uint64_t i = 0; i < PLACES && draft->region_bytes <= PLACE_BYTES; ++i) {
    const uint64_t place = start - i * PLACE_BYTES;
    const long region =
        TARE_CALL6(mmap, place, draft->region_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    *is_new = !tare_call_failed(region);
    if (*is_new) return (struct tare_module*)region;
    if (region != -EEXIST) return 0;
    if (!is_left_by(place, draft)) continue;
    struct tare_module* const old = revive((struct tare_module*)place, draft);
    if (old != 0) return old;
  }
  return 0;
}
