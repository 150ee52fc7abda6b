/* why_time.c: work that depends on the time of day. */
#include <time.h>

#include "why.h"

int main(void) {
  struct timespec now;
  for (int i = 0; i < 4; ++i) {
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return 1;
    why_work(why_hash((uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000));
  }
  return 0;
}
