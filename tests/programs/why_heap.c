/* why_heap.c: uses heap addresses as hash keys, as the benchmark parser does. It grows the heap
 * itself: malloc executes different instructions on processors without atomic instructions. */
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
