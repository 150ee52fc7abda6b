// counted_linked.c: exits while its threads still call a counting library.
#include <pthread.h>
#include <unistd.h>

void library_call(void);

static void* call_for_ever(void* unused) {
  for (;;) library_call();
  return unused;
}

int main(void) {
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, call_for_ever, NULL) != 0) return 1;
  }
  usleep(3000);
  return 0;
}
