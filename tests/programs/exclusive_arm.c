/* exclusive_arm.c: 10 exclusive stores that fail, and 10 that succeed; status 0 if the program saw
 * exactly that. 20 loads, 20 stores. */
#include "bare.h"

static int word;

static int Store(int lose_reservation) {
  int status = 0;
  int value = 0;
  if (lose_reservation) {
    __asm__ volatile("ldxr %w1, [%2]\n clrex\n stxr %w0, %w1, [%2]"
                     : "=&r"(status), "=&r"(value)
                     : "r"(&word)
                     : "memory");
  } else {
    __asm__ volatile("1: ldxr %w1, [%2]\n add %w1, %w1, 1\n stxr %w0, %w1, [%2]\n cbnz %w0, 1b"
                     : "=&r"(status), "=&r"(value)
                     : "r"(&word)
                     : "memory");
  }
  return status;
}

int main(void) {
  int failed = 0;
  for (int i = 0; i < 10; ++i) {
    failed += Store(1);
    failed += Store(0);
  }
  return failed == 10 && *(volatile int*)&word == 10 ? 0 : 1;
}
