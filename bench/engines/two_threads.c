/* two_threads.c: two threads run the same loop concurrently; `spin` executes 2 n + 1
 * instructions. */
#include <pthread.h>
#include <stdlib.h>

#if defined(__x86_64__)
__asm__(
    ".globl spin\n.type spin, @function\n"
    "spin: dec %rdi\n jne spin\n ret\n"
    ".size spin, . - spin\n");
#elif defined(__aarch64__)
__asm__(
    ".globl spin\n.type spin, %function\n"
    "spin: subs x0, x0, #1\n b.ne spin\n ret\n"
    ".size spin, . - spin\n");
#else
#error "no loop of known length for this architecture"
#endif

void spin(unsigned long n);

static void* Spin(void* n) {
  spin((unsigned long)n);
  return NULL;
}

int main(int argc, char** argv) {
  const unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 30000000;
  pthread_t other;
  if (pthread_create(&other, NULL, Spin, (void*)n) != 0) return 1;
  spin(n);
  return pthread_join(other, NULL);
}
