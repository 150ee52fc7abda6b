// strings_x86.c: repeated x86-64 string instructions with known iteration counts; status 0.
// rep movsb 1,000, rep stosq 500, repne scasb 300 (found at the 300th), repe cmpsb 200 (differs at
// the 200th), rep movsb with a count of 0, and rep stosb 64 with the direction flag set.
#include "bare.h"

static char from[1024];
static char to[1024];
static long words[512];

int main(void) {
  from[299] = 'x';
  void* target = to;
  const void* source = from;
  long count = 1000;
  __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(count) : : "memory");
  if (target != to + 1000 || to[299] != 'x') return 1;

  target = words;
  count = 500;
  __asm__ volatile("rep stosq" : "+D"(target), "+c"(count) : "a"(7L) : "memory");
  if (words[499] != 7 || words[500] != 0) return 2;

  target = to;
  count = 1024;
  __asm__ volatile("repne scasb" : "+D"(target), "+c"(count) : "a"('x') : "memory", "cc");
  if (count != 1024 - 300) return 3;

  from[199] = 'y';
  target = to;
  source = from;
  count = 1024;
  __asm__ volatile("repe cmpsb" : "+D"(target), "+S"(source), "+c"(count) : : "memory", "cc");
  if (count != 1024 - 200) return 4;

  target = to;
  source = from;
  count = 0;
  __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(count) : : "memory");
  if (target != to) return 5;

  target = to + 1023;
  count = 64;
  __asm__ volatile("std\n  rep stosb\n  cld" : "+D"(target), "+c"(count) : "a"('z') : "memory");
  return to[960] == 'z' && to[959] == 0 ? 0 : 6;
}
