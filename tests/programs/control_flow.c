// control_flow.c: changes control flow in the way that its first argument names; status 0.
// longjmp N, contexts N, recursion DEPTH, dlopen N, self-modifying N.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static jmp_buf back;

__attribute__((noinline)) static void jump(int depth) {
  if (depth < 0) return;
  if (depth == 0) longjmp(back, 1);
  jump(depth - 1);
  __asm__ volatile("");
}

static int by_longjmp(int count) {
  volatile int jumps = 0;
  if (setjmp(back) != 0) ++jumps;
  if (jumps < count) jump(10);
  return jumps == count ? 0 : 1;
}

static ucontext_t here;
static ucontext_t there;
static int turns = 0;

static void other_side(void) {
  for (;;) {
    ++turns;
    swapcontext(&there, &here);
  }
}

static int by_contexts(int count) {
  static char stack[65536];
  if (getcontext(&there) != 0) return 1;
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = NULL;
  makecontext(&there, other_side, 0);
  for (int i = 0; i < count; ++i) swapcontext(&here, &there);
  return turns == count ? 0 : 2;
}

__attribute__((noinline)) static long deep(long depth) {
  if (depth == 0) return 0;
  const long below = deep(depth - 1);
  __asm__ volatile("");
  return below + 1;
}

static long wanted_depth;
static long reached_depth;

static void descend(void) { reached_depth = deep(wanted_depth); }

// On a separate, large stack. Not on a thread: how threads are scheduled varies between runs.
static int by_recursion(long depth) {
  const size_t bytes = (size_t)depth * 128 + 65536;
  void* const stack =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED || getcontext(&there) != 0) return 1;
  wanted_depth = depth;
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = bytes;
  there.uc_link = &here;
  makecontext(&there, descend, 0);
  if (swapcontext(&here, &there) != 0) return 2;
  munmap(stack, bytes);
  return reached_depth == depth ? 0 : 3;
}

static int by_dlopen(int count) {
  for (int i = 0; i < count; ++i) {
    void* const library = dlopen("libm.so.6", RTLD_NOW);
    if (library == NULL || dlsym(library, "cos") == NULL) return 1;
    dlclose(library);
  }
  return 0;
}

// A function that returns i, rewritten for each i at the same address.
static int by_writing_code(int count) {
  unsigned char* const page =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 1;
  for (int i = 0; i < count; ++i) {
#if defined(__x86_64__)
    const unsigned char code[] = {0xb8, (unsigned char)i, (unsigned char)(i >> 8), 0, 0, 0xc3};
#else
    const uint32_t code[] = {0x52800000U | (uint32_t)(i & 0xffff) << 5, 0xd65f03c0U};
#endif
    memcpy(page, code, sizeof code);
    __builtin___clear_cache((char*)page, (char*)page + sizeof code);
    int (*function)(void);
    void* const start = page;
    memcpy(&function, &start, sizeof function);
    if (function() != (i & 0xffff)) return 2;
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 1;
  if (strcmp(what, "longjmp") == 0) return by_longjmp(count);
  if (strcmp(what, "contexts") == 0) return by_contexts(count);
  if (strcmp(what, "recursion") == 0) return by_recursion(count);
  if (strcmp(what, "dlopen") == 0) return by_dlopen(count);
  if (strcmp(what, "self-modifying") == 0) return by_writing_code(count);
  fprintf(stderr, "control_flow: unknown: %s\n", what);
  return 100;
}
