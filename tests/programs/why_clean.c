/* why_clean.c: the same work in every environment. It calls no library: even malloc executes
 * different instructions on processors without atomic instructions. */
#include "why.h"

int main(void) {
  uint64_t numbers[1000];
  for (uint64_t i = 0; i < 1000; ++i) numbers[i] = why_hash(i);
  for (uint64_t i = 0; i < 1000; i += 100) why_work(numbers[i]);
  return 0;
}
