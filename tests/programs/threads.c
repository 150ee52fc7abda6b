// threads.c: many threads, or a main thread that exits first; status 0 on success.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int arrived = 0;

static void* arrive(void* unused) {
  pthread_mutex_lock(&lock);
  ++arrived;
  pthread_mutex_unlock(&lock);
  return unused;
}

// N threads that all exist at the same time.
static int many(int count) {
  pthread_t* const threads = calloc((size_t)count, sizeof *threads);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 65536);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; ++i) {
    if (pthread_create(&threads[i], &attributes, arrive, NULL) != 0) return 1;
  }
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  free(threads);
  return arrived == count ? 0 : 2;
}

static void* outlive(void* status) {
  usleep(20000);
  puts("still here");
  exit(*(int*)status);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  static int number = 1;
  if (argc > 2) number = atoi(argv[2]);
  if (strcmp(what, "many") == 0) return many(number);
  if (strcmp(what, "main-leaves") == 0) {  // main-leaves N: status N, set by the other thread
    pthread_t thread;
    if (pthread_create(&thread, NULL, outlive, &number) != 0) return 1;
    pthread_exit(NULL);
  }
  fprintf(stderr, "threads: unknown: %s\n", what);
  return 100;
}
