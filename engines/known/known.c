/* known.c: a program whose every event is known: the workloads of `tare doctor --self-test`.
 *
 * usage: tare-known WORKLOAD COUNT [SLOTS STRIDE]
 *   loop COUNT                iterations of a load, a store, a subtraction and a taken branch
 *   calls COUNT               iterations with a call and its return
 *   system-calls COUNT        calls of getppid
 *   random COUNT              branches on random bits
 *   targets COUNT             indirect jumps to one of four targets at random
 *   returns COUNT             returns to another place than behind the call
 *   chase COUNT SLOTS STRIDE  rounds through SLOTS lines, STRIDE bytes apart, in random order
 *   dirty COUNT SLOTS STRIDE  the same, and stores to every line
 *   code COUNT SLOTS STRIDE   rounds of jumps through SLOTS places, STRIDE bytes apart
 *   pages COUNT               first accesses to fresh pages
 * All but these is the same for every COUNT, so that the difference of two runs is exact. Status 3:
 * the system refuses the memory. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kNoMemory = 3 };

static uint64_t random_state = 88172645463325252u;

static uint64_t Random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static char* Map(size_t bytes, int protection) {
  char* memory = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    perror("tare-known: mmap");
    exit(kNoMemory);
  }
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  return memory;
}

static void Loop(long left) {
  static long word;
  long* at = &word;
#if defined(__x86_64__)
  long value;
  __asm__ volatile("1: mov (%1), %2\n mov %2, (%1)\n sub $1, %0\n jnz 1b\n"
                   : "+r"(left), "+r"(at), "=&r"(value)
                   :
                   : "cc", "memory");
#else
  long value;
  __asm__ volatile("1: ldr %2, [%1]\n str %2, [%1]\n subs %0, %0, #1\n b.ne 1b\n"
                   : "+r"(left), "+r"(at), "=&r"(value)
                   :
                   : "cc", "memory");
#endif
}

static void Calls(long left) {
#if defined(__x86_64__)
  /* The red zone below the stack pointer is not used by this function's callers. */
  __asm__ volatile(
      "sub $128, %%rsp\n jmp 2f\n 1: ret\n"
      "2: call 1b\n sub $1, %0\n jnz 2b\n add $128, %%rsp\n"
      : "+r"(left)
      :
      : "cc", "memory");
#else
  __asm__ volatile("b 2f\n 1: ret\n 2: bl 1b\n subs %0, %0, #1\n b.ne 2b\n"
                   : "+r"(left)
                   :
                   : "cc", "memory", "x30");
#endif
}

static void SystemCalls(long left) {
  while (left-- > 0) getppid();
}

/* Both ways of a branch take the same instructions, but for the one that is skipped. */
static void RandomBranches(long left) {
  while (left-- > 0) {
    const uint64_t bit = Random() >> 40 & 1;
#if defined(__x86_64__)
    __asm__ volatile("test %0, %0\n jz 1f\n nop\n 1:\n" : : "r"(bit) : "cc");
#else
    __asm__ volatile("cbz %0, 1f\n nop\n 1:\n" : : "r"(bit));
#endif
  }
}

static void Targets(long left) {
  while (left-- > 0) {
    const uint64_t which = Random() >> 40 & 3;
#if defined(__x86_64__)
    uint64_t at;
    __asm__ volatile(
        "lea 1f(%%rip), %0\n lea (%0,%1,2), %0\n jmp *%0\n"
        "1: jmp 2f\n jmp 2f\n jmp 2f\n jmp 2f\n 2:\n"
        : "=&r"(at)
        : "r"(which)
        : "cc");
#else
    uint64_t at;
    __asm__ volatile(
        "adr %0, 1f\n add %0, %0, %1, lsl #2\n br %0\n"
        "1: b 2f\n b 2f\n b 2f\n b 2f\n 2:\n"
        : "=&r"(at)
        : "r"(which));
#endif
  }
}

static void Returns(long left) {
#if defined(__x86_64__)
  uint64_t at;
  __asm__ volatile(
      "sub $128, %%rsp\n"
      "1: call 2f\n nop\n"
      "2: lea 3f(%%rip), %1\n mov %1, (%%rsp)\n ret\n"
      "3: sub $1, %0\n jnz 1b\n add $128, %%rsp\n"
      : "+r"(left), "=&r"(at)
      :
      : "cc", "memory");
#else
  __asm__ volatile("1: bl 2f\n nop\n 2: adr x30, 3f\n ret\n 3: subs %0, %0, #1\n b.ne 1b\n"
                   : "+r"(left)
                   :
                   : "cc", "memory", "x30");
#endif
}

/* A cycle through all places but the first, which is last. */
static size_t* RandomCycle(size_t slots) {
  size_t* order = malloc(slots * sizeof *order);
  if (order == NULL) exit(kNoMemory);
  for (size_t i = 0; i < slots; ++i) order[i] = i;
  for (size_t i = slots - 1; i > 0; --i) {
    const size_t other = Random() % i;
    const size_t kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  return order; /* order[i] follows i */
}

static void Chase(long rounds, size_t slots, size_t stride, int is_dirty) {
  char* memory = Map(slots * stride, PROT_READ | PROT_WRITE);
  const size_t* next = RandomCycle(slots);
  for (size_t i = 0; i < slots; ++i) *(char**)(memory + i * stride) = memory + next[i] * stride;
  char* at = memory;
  /* Three rounds that fill caches and TLBs. */
  long left = (rounds + 3) * (long)slots;
#if defined(__x86_64__)
  if (is_dirty) {
    __asm__ volatile("1: mov %0, 8(%0)\n mov (%0), %0\n sub $1, %1\n jnz 1b\n"
                     : "+r"(at), "+r"(left)
                     :
                     : "cc", "memory");
  } else {
    __asm__ volatile("1: mov (%0), %0\n sub $1, %1\n jnz 1b\n"
                     : "+r"(at), "+r"(left)
                     :
                     : "cc", "memory");
  }
#else
  if (is_dirty) {
    __asm__ volatile("1: str %0, [%0, #8]\n ldr %0, [%0]\n subs %1, %1, #1\n b.ne 1b\n"
                     : "+r"(at), "+r"(left)
                     :
                     : "cc", "memory");
  } else {
    __asm__ volatile("1: ldr %0, [%0]\n subs %1, %1, #1\n b.ne 1b\n"
                     : "+r"(at), "+r"(left)
                     :
                     : "cc", "memory");
  }
#endif
}

/* Places that jump to each other; the last returns. */
static void Code(long rounds, size_t slots, size_t stride) {
  const size_t bytes = slots * stride;
  char* memory = Map(bytes, PROT_READ | PROT_WRITE);
  const size_t* next = RandomCycle(slots);
  for (size_t i = 0; i < slots; ++i) {
    char* place = memory + i * stride;
    const long distance = ((long)next[i] - (long)i) * (long)stride;
#if defined(__x86_64__)
    const int32_t relative = (int32_t)(distance - 5);
    place[0] = (char)(next[i] == 0 ? 0xc3 : 0xe9);
    memcpy(place + 1, &relative, sizeof relative);
#else
    const uint32_t jump =
        next[i] == 0 ? 0xd65f03c0u : 0x14000000u | ((uint32_t)(distance / 4) & 0x3ffffffu);
    memcpy(place, &jump, sizeof jump);
    __builtin___clear_cache(place, place + sizeof jump);
#endif
  }
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0) {
    perror("tare-known: mprotect");
    exit(kNoMemory);
  }
  void (*run)(void) = (void (*)(void))(uintptr_t)memory;
  for (long i = 0; i < rounds + 3; ++i) run();
}

static void Pages(long left) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  volatile char* memory = Map((size_t)left * page, PROT_READ | PROT_WRITE);
  for (long i = 0; i < left; ++i) memory[(size_t)i * page] = 1;
}

int main(int count, char** words) {
  const char* name = count > 1 ? words[1] : "";
  const long times = count > 2 ? atol(words[2]) : 0;
  const size_t slots = count > 4 ? strtoul(words[3], NULL, 10) : 0;
  const size_t stride = count > 4 ? strtoul(words[4], NULL, 10) : 0;
  const int walks = slots > 1 && stride >= 64;
  if (times < 1) {
    fputs("usage: tare-known WORKLOAD COUNT [SLOTS STRIDE]\n", stderr);
    return 2;
  }
  if (strcmp(name, "loop") == 0)
    Loop(times);
  else if (strcmp(name, "calls") == 0)
    Calls(times);
  else if (strcmp(name, "system-calls") == 0)
    SystemCalls(times);
  else if (strcmp(name, "random") == 0)
    RandomBranches(times);
  else if (strcmp(name, "targets") == 0)
    Targets(times);
  else if (strcmp(name, "returns") == 0)
    Returns(times);
  else if (strcmp(name, "chase") == 0 && walks)
    Chase(times, slots, stride, 0);
  else if (strcmp(name, "dirty") == 0 && walks)
    Chase(times, slots, stride, 1);
  else if (strcmp(name, "code") == 0 && walks)
    Code(times, slots, stride);
  else if (strcmp(name, "pages") == 0)
    Pages(times);
  else
    return 2;
  return 0;
}
