// calls.c: computes Fibonacci number 17 by recursion: 5,167 calls and returns of one function, and
// 1,000 calls of another through a pointer; status 0. main itself is called once. Calls of fib(n):
// c(0) = c(1) = 1, c(n) = c(n-1) + c(n-2) + 1, so c(17) = 5,167.
#include "bare.h"

__attribute__((noinline)) static long fib(long n) {
  if (n < 2) return n;
  long sum = fib(n - 1);
  sum += fib(n - 2);
  // Keeps the compiler from turning the second call into a loop.
  __asm__ volatile("" : "+r"(sum));
  return sum;
}

__attribute__((noinline)) static long next(long value) {
  __asm__ volatile("");
  return value + 1;
}

int main(void) {
  long (*volatile through)(long) = next;
  long value = 0;
  for (int i = 0; i < 1000; ++i) value = through(value);
  return fib(17) == 1597 && value == 1000 ? 0 : 1;
}
