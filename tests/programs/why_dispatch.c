/* why_dispatch.c: functions that are dispatched by processor features: those of the C library, and
 * on AArch64 one of this file. */
#include <string.h>
#include <sys/auxv.h>

#include "why.h"

/* Not on the stack, so that the stack's address has no effect. */
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
