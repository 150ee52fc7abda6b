/* why_alignment.c: copies on the stack, byte by byte up to a 64-byte boundary and then in
 * blocks. */
#include <stddef.h>

#include "why.h"

enum { kBytes = 1000 };

static void Copy(volatile char* to, const volatile char* from, size_t bytes) {
  while (bytes > 0 && ((uintptr_t)to & 63) != 0) {
    *to++ = *from++;
    --bytes;
  }
  while (bytes >= 8) {
    *(volatile uint64_t*)to = *(const volatile uint64_t*)from;
    to += 8;
    from += 8;
    bytes -= 8;
  }
  while (bytes-- > 0) *to++ = *from++;
}

int main(void) {
  char to[kBytes];
  static char from[kBytes]; /* an initializer would call memset, which libc dispatches */
  for (int i = 0; i < 100; ++i) Copy(to, from, kBytes);
  why_work(0);
  return 0;
}
