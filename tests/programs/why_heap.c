/* why_heap.c: addresses of the heap as keys of a hash, as the benchmark parser has it. The heap is
 * grown by hand: malloc takes other instructions where the processor has no atomic ones. */
#include <unistd.h>

#include "why.h"

int main(void) {
  for (int i = 0; i < 16; ++i) {
    void* connector = sbrk(48);
    if ((intptr_t)connector == -1) return 1;
    why_work(why_hash((uintptr_t)connector));
  }
  return 0;
}
