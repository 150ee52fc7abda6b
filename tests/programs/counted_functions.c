// counted_functions.c: built by gcc with -finstrument-functions; status 0 on success.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void leaf(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void branch(void) {
  leaf();
  leaf();
}
__attribute__((noinline)) void handle(int signal) {
  (void)signal;
  leaf();
}

__attribute__((noinline)) static void* run(void* unused) {
  for (int i = 0; i < 500; ++i) branch();
  return unused;
}

// leaf: 8 * 1000 + 3 calls in the parent, 2 in the child; prints the addresses in the file.
int main(void) {
  extern const char __ehdr_start __attribute__((visibility("hidden")));
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) {
    if (pthread_create(&threads[i], NULL, run, NULL) != 0) return 1;
  }
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
  signal(SIGUSR1, handle);
  for (int i = 0; i < 3; ++i) raise(SIGUSR1);
  const pid_t child = fork();
  if (child == 0) {
    branch();
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) return 2;
  printf("%lu %lu\n", (unsigned long)((char*)leaf - &__ehdr_start),
         (unsigned long)((char*)branch - &__ehdr_start));
  return 0;
}
