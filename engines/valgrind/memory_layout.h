/* memory_layout.h: moves the program's stack, heap and mappings by given offsets. */
#pragma once

#include "core.h"
#include "format/start_stack.h"

/* Offsets from the default addresses. */
struct memory_layout {
  Long stack_bytes;   /* downwards, a multiple of 16 */
  Long heap_bytes;    /* upwards, a multiple of 16 */
  Long mapping_bytes; /* upwards, whole pages */
};

enum { kMaxStackOffset = 1 << 20, kMaxHeapOffset = 4 << 20, kMaxMappingOffset = 1 << 30 };

/* Builds the initial stack in the layout that all engines share; AT_HWCAP shows only the features
 * in `hwcap_mask`. `offset` is as in struct memory_layout. */
void memory_layout_fix_stack(ThreadId thread, const struct tare_start_stack* old, Addr old_pointer,
                             ULong hwcap_mask, Long offset);

/* Moves the initial stack by `offset` without changing its layout. */
void memory_layout_move_stack(ThreadId thread, const struct tare_start_stack* old, Addr old_pointer,
                              Long offset);

/* To be called before the program's first instruction. */
void memory_layout_move_heap(Long offset);
void memory_layout_move_mappings(Long offset);
