// repeats_x86.c: repeated x86-64 string instructions with counts of 0, 1 and 5, ended early, after
// branches, consecutive, and with counts that are known at translation; status 0. Valgrind rejects
// `repne cmps` and runs `rep lods` once, so those are left out.
#include "bare.h"

static char a[64];
static char b[64];
static long words[64];

#define REPEAT(code, to, from, rounds, value)                                     \
  do {                                                                            \
    void* target = (to);                                                          \
    const void* source = (from);                                                  \
    long count = (rounds);                                                        \
    long accumulator = (value);                                                   \
    __asm__ volatile(code                                                         \
                     : "+D"(target), "+S"(source), "+c"(count), "+a"(accumulator) \
                     :                                                            \
                     : "memory", "cc", "rdx");                                    \
  } while (0)

// A function whose first instruction is repeated, because a region may start with one.
void fill(void* to, long x, long y, long rounds);
__asm__(
    ".globl fill\n.type fill, @function\n"
    "fill: rep stosb\n ret\n.size fill, . - fill\n");

static void plain(long n) {
  REPEAT("rep movsb", a, b, n, 0);
  REPEAT("rep movsl", a, b, n, 0);
  REPEAT("rep movsq", words, words + 20, n, 0);
  REPEAT("rep stosb", a, b, n, 0);
  REPEAT("rep stosl", words, b, n, 0);
  REPEAT("rep stosq", words, b, n, 0);
}

static void ended_early(long n) {
  REPEAT("repe cmpsb", a, b, n, 0);
  REPEAT("repe cmpsq", words, words + 20, n, 0);
  REPEAT("repe scasb", a, b, n, 0);
  REPEAT("repne scasb", a, b, n, 0);
  REPEAT("repne scasl", a, b, n, 1);
  for (int i = 0; i < 4; ++i) a[i] = b[i] = (char)i;
  b[2] = 9;
  REPEAT("repe cmpsb", a, b, n, 0);
  REPEAT("repne scasb", a, b, n, 2);
  REPEAT("repe scasb", a, b, n, 0);
}

static void known_counts(long n) {
  REPEAT("xor %%ecx, %%ecx\n rep movsb", a, b, n, 0);
  REPEAT("xor %%ecx, %%ecx\n repe cmpsb", a, b, n, 0);
  REPEAT("xor %%ecx, %%ecx\n repne scasb", a, b, n, 0);
  REPEAT("mov $1, %%ecx\n rep stosl", words, b, n, 0);
  REPEAT("mov $5, %%ecx\n repne scasb", a, b, n, 2);
  REPEAT("mov $5, %%ecx\n repe cmpsb", a, b, n, 0);
}

static void in_a_row(long n) {
  REPEAT("rep stosb\n mov $3, %%ecx\n rep stosb\n mov $2, %%rcx\n rep movsb", a, b, n, 0);
  REPEAT("rep stosb\n rep stosb\n rep movsb", a, b, n, 0);
  REPEAT("mov $4, %%edx\n 1: mov $3, %%ecx\n rep stosb\n dec %%edx\n jnz 1b", a, b, n, 0);
  REPEAT("mov $4, %%edx\n jmp 1f\n .p2align 4\n 1: rep stosb\n mov $2, %%ecx\n dec %%edx\n jnz 1b",
         a, b, n, 0);
  REPEAT("jrcxz 1f\n nop\n 1: mov $3, %%ecx\n 2: loop 2b", a, b, n, 0);
  REPEAT("cmp $1, %%rcx\n je 1f\n rep stosb\n 1: cmp $5, %%rcx\n jne 1f\n rep movsb\n 1: nop", a, b,
         n, 0);
}

int main(void) {
  static const long counts[] = {0, 1, 5};
  for (int i = 0; i < 3; ++i) {
    plain(counts[i]);
    ended_early(counts[i]);
    in_a_row(counts[i]);
    known_counts(counts[i]);
    for (long j = 0; j < 20; ++j) {
      REPEAT("rep movsb", a, b, j, 0);
      fill(a, 0, 0, 0);
    }
  }
  return 0;
}
