// no_tunables.c: dies by SIGSEGV when GLIBC_TUNABLES is set; status 0 otherwise. Leaves no core
// file.
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(void) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (getenv("GLIBC_TUNABLES") != NULL) raise(SIGSEGV);
  return 0;
}
