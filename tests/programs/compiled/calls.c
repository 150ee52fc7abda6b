// calls.c: the program's own functions, library functions, function pointers and values.
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls_of_pointer;

static long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static void pointed(void) { calls_of_pointer++; }

__attribute__((noinline)) static int signed_result(int n) { return n % 2 == 0 ? n : -n; }

static double half(double value) { return value / 2; }

int main(void) {
  long sum = fibonacci(10);
  void (*volatile pointer)(void) = pointed;
  for (int i = 0; i < 7; ++i) pointer();
  for (int i = 0; i < 5; ++i) sum += small(i);
  for (int i = 0; i < 6; ++i) sum += twice(i) - 2 * i;
  sum += elsewhere(3);
  for (int i = 1; i <= 4; ++i) {
    char* memory = malloc((size_t)i * 100);
    memset(memory, i, (size_t)i * 100);
    sum += memory[0];
    free(memory);
  }
  for (int i = -3; i < 6; ++i) sum += signed_result(i);
  sum += (long)strlen(getenv("PATH") == NULL ? "" : "path");
  printf("%ld %d %g\n", sum, calls_of_pointer, half(1));
  exit(0);
}
