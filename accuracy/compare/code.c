/* code.c: does half as much work again if its code has the alignment CLASS modulo 64, as a loop that
 * straddles a line would. */
#include <stdint.h>

int main(void) {
  volatile unsigned long sum = 0;
  const int slow = (((uintptr_t)&main >> 4) & 3) == CLASS;
  const long iterations = 2000000L + (slow ? 1000000L : 0);
  for (long i = 0; i < iterations; ++i) sum += (unsigned long)i;
  return 0;
}
