// where.c: prints its argv[0], paths and addresses, one "name: value" per line; status 0.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static void print_memory(const void* local) {
  const char* const small = malloc(10);
  const char* const large = malloc(1 << 20);
  const char* const mapped =
      mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("stack: %p\n", local);
  printf("small block: %p\n", (const void*)small);
  printf("large block: %p\n", (const void*)large);
  printf("mapping: %p\n", (const void*)mapped);
  printf("library: %p\n", (void*)(size_t)&strtol);
  printf("program: %p\n", (void*)(size_t)&print_memory);
}

static void print_process(void) {
  char number[32];
  const ssize_t size = readlink("/proc/self", number, sizeof number - 1);
  number[size > 0 ? size : 0] = 0;
  printf("process: %d\n", (int)getpid());
  printf("parent: %d\n", (int)getppid());
  printf("process in /proc: %s\n", number);
}

int main(int argc, char** argv) {
  char directory[8192];
  char name[8192];
  const char* const pwd = getenv("PWD");
  const char* const tunables = getenv("GLIBC_TUNABLES");
  int local = 0;
  print_memory(&local);
  print_process();
  printf("name: %s\n", argv[0]);
  printf("arguments: %d\n", argc);
  printf("PWD: %s\n", pwd != NULL ? pwd : "");
  printf("directory: %s\n", getcwd(directory, sizeof directory) != NULL ? directory : "?");
  printf("directory resolved: %s\n", realpath(".", name) != NULL ? name : "?");
  printf("huge pages off: %d\n", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
  printf("tunables: %s\n", tunables != NULL ? tunables : "");
  printf("user: %d\n", (int)getuid());
  return 0;
}
