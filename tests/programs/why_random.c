/* why_random.c: work that depends on random numbers from the kernel. */
#include <sys/random.h>

#include "why.h"

int main(void) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) return 1;
  why_work(why_hash(number));
  return 0;
}
