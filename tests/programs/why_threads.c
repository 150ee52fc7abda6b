/* why_threads.c: two threads that take turns by polling, with some work per attempt. The C library
 * creates threads with atomic instructions that are dispatched by processor; the interleaving of
 * the two must vary the count much more than that. Plain loads and stores are enough for the turns.
 * usleep is not used, because as a cancellation point it contains atomic instructions, too. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "why.h"

enum { kTurns = 60 };

static atomic_int turn;

static void Sleep(long microseconds) {
  const struct timespec time = {.tv_nsec = 1000 * microseconds};
  syscall(SYS_nanosleep, &time, NULL);
}

static void Work(void) {
  for (uint64_t i = 0; i < 300; ++i) why_sink = i;
}

static void* TakeTurns(void* argument) {
  const int own = *(int*)argument;
  for (int i = 0; i < kTurns; ++i) {
    while (atomic_load(&turn) != own) {
      Work();
      Sleep(own == 0 ? 20 : 50);
    }
    atomic_store(&turn, 1 - own);
  }
  return NULL;
}

int main(void) {
  int numbers[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&threads[i], NULL, TakeTurns, &numbers[i]) != 0) return 1;
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  why_work(0);
  return 0;
}
