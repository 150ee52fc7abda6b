// oddities.c: functions that cannot be instrumented like others.
#include <setjmp.h>
#include <stdio.h>

long counter;
static jmp_buf back;

inline int both_ways(int n) { return n * 2; }
extern int both_ways(int n);

extern inline __attribute__((gnu_inline, always_inline)) int pasted(int n) { return n + 3; }

__attribute__((naked, used)) static void bare(void) { __asm__("ret"); }

static int chosen_one(void) { return 1; }
static int (*choose(void))(void) { return chosen_one; }
int chosen(void) __attribute__((ifunc("choose")));

__attribute__((noinline)) static int last(int n) {
  counter++;
  return n;
}
__attribute__((noinline)) static int tail(int n) { __attribute__((musttail)) return last(n + 1); }

static int jump(int n) {
  static void* const targets[] = {&&even, &&odd};
  goto* targets[n % 2];
even:
  counter++;
  return 0;
odd:
  counter += 2;
  return 1;
}

static int asked(int n) {
  __asm__ goto("" : : "r"(n) : : elsewhere);
  counter++;
  return n;
elsewhere:
  return 0;
}

__attribute__((noinline)) static void thrown(int n) {
  counter++;
  longjmp(back, n);
}

static int sized(int n) {
  volatile int room[n + 1];
  for (int i = 0; i <= n; ++i) room[i] = i;
  return room[n];
}

__attribute__((noinline)) int original(int n) { return n; }
int renamed(int n) __attribute__((alias("original")));

int main(void) {
  int sum = 0;
  volatile int turns = 0;
  if (setjmp(back) < 3) {
    turns++;
    thrown(turns);
  }
  for (int i = 0; i < 4; ++i) sum += tail(i) + jump(i) + asked(i) + sized(i) + pasted(i);
  for (int i = 0; i < 5; ++i) sum += both_ways(i);
  for (int i = 0; i < 2; ++i) sum += renamed(i) + original(i);
  bare();
  printf("%d %d %ld\n", sum + chosen(), turns, counter);
  return 0;
}
