/* work.c: a loop of as many iterations as its argument says. */
#include <stdlib.h>

int main(int count, char** words) {
  volatile unsigned long sum = 0;
  const long iterations = count > 1 ? atol(words[1]) : 0;
  for (long i = 0; i < iterations; ++i) sum += (unsigned long)i;
  return 0;
}
