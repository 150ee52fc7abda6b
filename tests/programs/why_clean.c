/* why_clean.c: the same work, whatever the surroundings are. It asks no library for anything: even
 * malloc takes other instructions where the processor has no atomic ones. */
#include "why.h"

int main(void) {
  uint64_t numbers[1000];
  for (uint64_t i = 0; i < 1000; ++i) numbers[i] = why_hash(i);
  for (uint64_t i = 0; i < 1000; i += 100) why_work(numbers[i]);
  return 0;
}
