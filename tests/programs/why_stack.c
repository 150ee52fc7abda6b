/* why_stack.c: uses the address of a local variable as a hash key, as perlbench does. */
#include "why.h"

int main(void) {
  volatile char local = 0;
  for (uint64_t i = 0; i < 16; ++i) why_work(why_hash((uintptr_t)&local + i));
  return 0;
}
