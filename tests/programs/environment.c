// environment.c: prints the environment that the program sees, one "name: value" per line; status
// 0.
#define _GNU_SOURCE
#include <elf.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <unistd.h>

extern char** environ;

static void print_environment(void) {
  size_t bytes = 0;
  int entries = 0;
  for (char** entry = environ; *entry != NULL; ++entry) {
    printf("variable: %s\n", *entry);
    bytes += strlen(*entry) + 1;
    ++entries;
  }
  printf("environment bytes: %zu\n", bytes);
  printf("environment entries: %d\n", entries);
}

static void print_cores(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  printf("cores: %d\n", CPU_COUNT(&set));
  printf("core: %d\n", sched_getcpu());
}

static void print_signals(void) {
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (int number = 1; number < 32; ++number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) continue;
    if (sigismember(&blocked, number) == 1) printf("blocked: %d\n", number);
    if (action.sa_handler == SIG_IGN) printf("ignored: %d\n", number);
  }
}

int main(int argc, char** argv) {
  char directory[8192];
  const char* const pwd = getenv("PWD");
  int local = 0;
  printf("name: %s\n", argv[0]);
  printf("name bytes: %zu\n", strlen(argv[0]));
  printf("path: %s\n", (const char*)getauxval(AT_EXECFN));
  for (int i = 1; i < argc; ++i) printf("argument: %s\n", argv[i]);
  printf("PWD bytes: %zu\n", pwd != NULL ? strlen(pwd) : 0);
  printf("directory: %s\n", getcwd(directory, sizeof directory) != NULL ? directory : "?");
  printf("stack: %p\n", (void*)&local);
  printf("random addresses: %s\n", personality(0xffffffff) & ADDR_NO_RANDOMIZE ? "no" : "yes");
  printf("own group: %s\n", getpgrp() == getpid() ? "yes" : "no");
  printf("has terminal: %s\n", tcgetpgrp(0) == getpgrp() ? "yes" : "no");
  print_cores();
  print_signals();
  print_environment();
  return 0;
}
