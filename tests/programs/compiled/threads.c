// threads.c: threads that call functions and store to variables concurrently.
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 8, kCalls = 20000 };

static _Atomic long together;

static void step(void) { together++; }

static void* run(void* ignored) {
  for (int i = 0; i < kCalls; ++i) step();
  return ignored;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("%ld\n", together);
  return 0;
}
