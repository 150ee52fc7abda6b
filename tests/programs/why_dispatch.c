/* why_dispatch.c: functions that are chosen by what the processor can do: the C library's own, and
 * on AArch64 one of this file. */
#include <string.h>
#include <sys/auxv.h>

#include "why.h"

/* Not on the stack: where that lies must not matter. */
static _Alignas(4096) char text[4000];

int main(void) {
  volatile size_t length = 0;
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  for (int i = 0; i < 500; ++i) {
    text[i] = 'y';
    length += strlen(text);
  }
#if defined(__aarch64__)
  const unsigned long kAtomics = 1ul << 8;
  why_work((getauxval(AT_HWCAP) & kAtomics) != 0 ? 0 : 5000);
#endif
  return length == 0;
}
