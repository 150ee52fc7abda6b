/* memory_layout.c: moves stack, heap and mappings before the program's first instruction. */
#include "memory_layout.h"

static Addr HighestString(const struct tare_start_stack* stack) {
  Addr highest = (Addr)stack->auxiliary;
  for (const uint64_t* word = stack->arguments; *word != 0; ++word) {
    if (*word > highest) highest = *word;
  }
  for (const uint64_t* word = stack->environment; *word != 0; ++word) {
    if (*word > highest) highest = *word;
  }
  return highest;
}

/* The new layout may extend a page or two below the old one. */
void memory_layout_fix_stack(ThreadId thread, const struct tare_start_stack* old, Addr old_pointer,
                             ULong hwcap_mask, Long offset) {
  const Addr room = VG_PGROUNDUP(HighestString(old) - old_pointer) + 3 * VKI_PAGE_SIZE;
  struct tare_stack_layout layout = {.from = old, .room = room};
  layout.top = VG_PGROUNDDN(HighestString(old)) - (Addr)offset;
  layout.image = VG_(malloc)("tare.stack", room);
  const Addr pointer = (Addr)tare_lay_out_stack(&layout, hwcap_mask);
  if (pointer == 0 || !VG_(extend_stack)(thread, pointer - VG_STACK_REDZONE_SZB)) {
    VG_(umsg)("tare: no room for a fixed stack layout; the stack is unchanged\n");
  } else {
    VG_(memcpy)((void*)pointer, layout.image + (pointer - (layout.top - room)),
                layout.top - pointer);
    VG_(set_SP)(thread, pointer);
  }
  VG_(free)(layout.image);
}

static void MovePointers(uint64_t* word, Addr low, Addr high, Long offset, UInt stride) {
  for (; stride == 2 ? word[0] != TARE_AT_NULL : word[0] != 0; word += stride) {
    uint64_t* pointer = word + stride - 1;
    if (*pointer >= low && *pointer < high) *pointer -= (uint64_t)offset;
  }
}

void memory_layout_move_stack(ThreadId thread, const struct tare_start_stack* old, Addr old_pointer,
                              Long offset) {
  const Addr last = HighestString(old);
  const Addr end = last + VG_(strlen)((const HChar*)last) + 1;
  const Addr pointer = old_pointer - (Addr)offset;
  if (!VG_(extend_stack)(thread, pointer - VG_STACK_REDZONE_SZB)) {
    VG_(umsg)("tare: no room to move the stack; it is unchanged\n");
    return;
  }
  VG_(memmove)((void*)pointer, (const void*)old_pointer, end - old_pointer);
  const struct tare_start_stack moved = tare_find_start_stack((uint64_t*)pointer);
  MovePointers(moved.arguments, old_pointer, end, offset, 1);
  MovePointers(moved.environment, old_pointer, end, offset, 1);
  MovePointers(moved.auxiliary, old_pointer, end, offset, 2);
  VG_(set_SP)(thread, pointer);
}

/* The core grows the heap's segment into the adjacent reservation after it when brk exceeds the
 * segment. */
void memory_layout_move_heap(Long offset) {
  const Addr moved = VG_(brk_base) + (Addr)offset;
  const NSegment* heap = VG_(am_find_nsegment)(VG_(brk_base));
  if (VG_(brk_base) != VG_(brk_limit) || heap == NULL || heap->kind != SkAnonC) {
    VG_(umsg)("tare: the heap cannot be moved; its address is unchanged\n");
    return;
  }
  Bool overflow = False;
  const Addr end = VG_PGROUNDUP(moved + 1);
  if (end > heap->end + 1 && !VG_(am_extend_into_adjacent_reservation_client)(
                                 heap->start, (SSizeT)(end - (heap->end + 1)), &overflow)) {
    VG_(umsg)("tare: no room to move the heap; its address is unchanged\n");
    return;
  }
  VG_(brk_base) = moved;
  VG_(brk_limit) = moved;
}

/* The core places a mapping in the first gap that is large enough, so this reserves the start of
 * the last gap. Small mappings that fit a gap below it stay there, as they would without the
 * offset. */
void memory_layout_move_mappings(Long offset) {
  const SizeT kLastGap = (SizeT)1 << 30;
  Bool found = False;
  const Addr start = VG_(am_get_advisory_client_simple)(0, kLastGap + (SizeT)offset, &found);
  if (!found || sr_isError(VG_(am_mmap_anon_fixed_client)(start, (SizeT)offset, VKI_PROT_NONE))) {
    VG_(umsg)("tare: no room to move the mappings; their addresses are unchanged\n");
  }
}
