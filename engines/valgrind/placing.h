/* placing.h: where the program's stack, heap and mappings lie. */
#pragma once

#include "core.h"
#include "format/start_stack.h"

/* How far each is moved from where it would lie. */
struct placing {
  Long stack_bytes;   /* downwards, a multiple of 16 */
  Long heap_bytes;    /* upwards, a multiple of 16 */
  Long mapping_bytes; /* upwards, whole pages */
};

enum { kMaxStackOffset = 1 << 20, kMaxHeapOffset = 4 << 20, kMaxMappingOffset = 1 << 30 };

/* Lays the start of the stack out as every engine does, with the features in `hwcap_mask`. */
void placing_pin_stack(ThreadId thread, const struct tare_start_stack* old, Addr old_pointer,
                       ULong hwcap_mask, Long offset);

/* Only moves it. */
void placing_move_stack(ThreadId thread, const struct tare_start_stack* old, Addr old_pointer,
                        Long offset);

/* Before the program's first instruction. */
void placing_move_heap(Long offset);
void placing_move_mappings(Long offset);
