// system_calls.c: 1,000 times getpid and getppid and one write of "done\n"; status 0. With the exit
// that makes 2,002 system calls.
#include "bare.h"

int main(void) {
  const long own = system_call(kGetpid, 0, 0, 0);
  for (int i = 1; i < 1000; ++i) {
    if (system_call(kGetpid, 0, 0, 0) != own) return 1;
  }
  for (int i = 0; i < 1000; ++i) {
    if (system_call(kGetppid, 0, 0, 0) < 0) return 2;
  }
  static const char text[] = "done\n";
  return system_call(kWrite, 1, (long)text, 5) == 5 ? 0 : 3;
}
