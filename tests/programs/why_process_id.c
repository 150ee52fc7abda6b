/* why_process_id.c: work that depends on the process ID. */
#include <unistd.h>

#include "why.h"

int main(void) {
  why_work(why_hash((uint64_t)getpid()));
  return 0;
}
