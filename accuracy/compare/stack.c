/* stack.c: does half as much work again if its stack has the alignment CLASS modulo 64. */
#include <stdint.h>

int main(void) {
  volatile unsigned long sum = 0;
  volatile char local = 0;
  const int slow = (((uintptr_t)&local >> 4) & 3) == CLASS;
  const long iterations = 2000000L + (slow ? 1000000L : 0);
  for (long i = 0; i < iterations; ++i) sum += (unsigned long)i;
  return local;
}
